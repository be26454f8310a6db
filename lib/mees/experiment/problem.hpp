#pragma once

#include "mees/algorithms/registry.hpp"
#include "mees/rollout/episode_runner.hpp"
#include "mees/sim/task.hpp"

#include <memory>

namespace mees {

/// The controller that the settings and the domain ask for.
[[nodiscard]] NetworkShape make_network(PolicySettings const& settings, TaskSpec const& spec);

/// The map's cells: the domain's grid where the settings say nothing, a CVT where they ask for it.
/// Throws ConfigError for bounds or bins that do not fit the domain, FileError for a centroid file
/// that cannot be used.
[[nodiscard]] BehaviourSpace make_space(MapSettings const& settings, TaskSpec const& spec);

/// Puts settings, domain and algorithm together. Throws ConfigError where they do not fit each
/// other.
[[nodiscard]] SearchProblemPtr make_problem(Settings const& settings, TaskSpec const& spec,
                                            AlgorithmRegistry const& algorithms);

/// What workers need.
[[nodiscard]] RolloutSetup make_rollout(Settings const& settings,
                                        std::shared_ptr<Domain const> const& domain);

}  // namespace mees
