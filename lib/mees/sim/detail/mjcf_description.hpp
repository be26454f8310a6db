#pragma once

#include "mees/sim/detail/mujoco_domain.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace mees {

using Position = std::array<double, 3>;

struct RewardTerm {
    RewardKind kind{RewardKind::alive};
    double weight{1};
    int body{1};
    int site{-1};       ///< distance: to this site,
    Position point{};   ///< or to this point,
    int dimensions{3};  ///< in this many dimensions
};

/// MjcfSettings with the model's ids instead of names.
struct MjcfDescription {
    EpisodeRules rules;
    std::vector<ObservationPart> observation;
    std::int64_t observation_skip{0};
    std::vector<RewardTerm> reward;
    int height_body{-1};  ///< -1: the episode does not end by height
    double height_lower{0};
    double height_upper{0};
    BehaviourKind behaviour{BehaviourKind::final_position};
    int bc_body{1};
    int floor{-1};
    std::vector<int> bc_geoms;
};

/// Throws ConfigError for a name that the model does not have.
[[nodiscard]] MjcfDescription describe_mjcf(mjModel const& model, DomainSettings const& settings);

[[nodiscard]] TaskSpec spec_of(mjModel const& model, MjcfDescription const& description,
                               DomainSettings const& settings);

}  // namespace mees
