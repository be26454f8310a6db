#pragma once

#include "mees/config/choices.hpp"
#include "mees/core/ids.hpp"
#include "mees/core/stream.hpp"
#include "mees/policy/controller.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace mees {

/// The purpose of an episode: each kind draws from its own random streams.
enum class EpisodeKind : std::uint8_t {
    training,    ///< action noise, observations sampled
    evaluation,  ///< measures a controller
    trial,       ///< of damage recovery: tries a controller in the damaged robot
    score,       ///< of damage recovery: measures the controller that it chose
    replay,      ///< measures a controller again, in episodes that its search has not seen
};

/// A number for each parameter of a network.
using ParametersPtr = std::shared_ptr<Eigen::VectorXf const>;

/// Episodes of controllers that lie around one centre.
///
/// Member m has the parameters centre + sigma * scale * noise[offset_m], and, mirrored, members
/// come in pairs: 2p is centre + sigma * scale * noise[offset_p] and 2p + 1 is centre - sigma *
/// scale * noise[offset_p]. `scale` is a factor of each parameter, 1 if there is none. With a
/// basis, sum_j coefficient_mj * basis_j is added. With neither offsets nor basis there is one
/// member, the centre itself. Each member is run `repeats` times; episode index within the group is
/// member * repeats + repeat.
struct Group {
    ControllerPtr centre;
    Generation generation;
    EpisodeKind kind{EpisodeKind::training};
    /// Index of one of the evaluator's domains: each damaged robot is a domain.
    std::int32_t variant{0};
    /// First index of this group's random streams: groups of one generation and kind whose draws
    /// must differ have different ranges.
    std::int64_t first_stream{0};
    float sigma{0};
    bool mirrored{false};
    SharedSeeds seeds{SharedSeeds::own};
    std::int32_t repeats{1};
    float action_noise{0};
    double observation_fraction{0};
    std::vector<NoiseOffset> offsets;
    ParametersPtr scale;
    std::vector<ParametersPtr> basis;
    std::vector<float> coefficients;  ///< member by member, one for each vector of the basis

    [[nodiscard]] std::int64_t members() const;
    [[nodiscard]] std::int64_t episodes() const { return members() * repeats; }
};

/// Replay episodes 0 .. `episodes` - 1 of a controller: the same for all controllers and programs,
/// so that results can be compared.
[[nodiscard]] Group replay_group(ControllerPtr controller, std::int32_t episodes);

/// The episodes to be evaluated next: everything that decides the outcome of every episode, and
/// nothing that depends on the evaluator.
struct Batch {
    std::uint64_t seed{0};
    std::vector<Group> groups;

    [[nodiscard]] std::int64_t episodes() const;
};

/// One episode of a batch, found from its index.
struct EpisodeSpec {
    Group const* group;
    /// Parameters of the group's centre: they may lie elsewhere, and the controller have none.
    std::span<float const> centre;
    std::int64_t group_index;
    std::int64_t member;
    std::int64_t repeat;
    Stream reset;
    Stream action;
    bool records_observations;
};

/// The `index`-th episode, counted through all groups in order. A pure function of (batch, index).
[[nodiscard]] EpisodeSpec episode_of(Batch const& batch, std::int64_t index);

}  // namespace mees
