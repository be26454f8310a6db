#pragma once

#include "mees/sim/mujoco_task.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace mees {

using Place = std::array<double, 3>;

struct RewardTerm {
    enum class Kind { forward_velocity, control_cost, alive, distance };

    Kind kind{Kind::alive};
    double weight{1};
    int body{1};
    int site{-1};       ///< distance: to this site,
    Place point{};      ///< or to this point,
    int dimensions{3};  ///< in so many dimensions
};

enum class ObservationPart { qpos, qvel, cinert, cvel, qfrc_actuator, cfrc_ext };
enum class Behaviour { final_position, contact_share, mean_velocity };

/// What MjcfSettings say of a model, with the model's ids in place of names.
struct MjcfDescription {
    EpisodeRules rules;
    std::vector<ObservationPart> observation;
    std::int64_t observation_skip{0};
    double reset_noise{0};
    std::vector<RewardTerm> reward;
    int height_body{-1};  ///< -1: no height ends the episode
    double height_lower{0};
    double height_upper{0};
    Behaviour behaviour{Behaviour::final_position};
    int bc_body{1};
    int floor{-1};
    std::vector<int> bc_geoms;
};

/// Throws ConfigError where the settings name what the model does not have.
[[nodiscard]] MjcfDescription describe_mjcf(mjModel const& model, DomainSettings const& settings);

[[nodiscard]] TaskSpec spec_of(mjModel const& model, MjcfDescription const& description,
                               DomainSettings const& settings);

}  // namespace mees
