#pragma once

#include "mees/algorithms/registry.hpp"
#include "mees/rollout/episode_runner.hpp"
#include "mees/sim/task.hpp"

#include <iosfwd>
#include <memory>
#include <string>

namespace mees {

/// The controller's network for these settings and this domain.
[[nodiscard]] NetworkShape make_network(PolicySettings const& settings, TaskSpec const& spec);

/// How the centroids of a CVT are computed.
struct CentroidEffort {
    unsigned threads{1};
    bool placeholders{false};  ///< points in the bounds instead, where only their number matters
    std::ostream* progress{nullptr};  ///< where to write how far it is, every few seconds
    double seconds_between_lines{3};
};

/// The map's cells: a CVT or a grid, with the domain's bounds and bins where the settings have
/// none. Throws ConfigError for bounds or bins that do not match the domain, FileError for an
/// unusable centroid file.
[[nodiscard]] BehaviourSpace make_space(MapSettings const& settings, TaskSpec const& spec,
                                        CentroidEffort effort = {});

/// Combines settings, domain and algorithm. Throws ConfigError where they do not match.
[[nodiscard]] SearchProblemPtr make_problem(Settings const& settings, TaskSpec const& spec,
                                            AlgorithmRegistry const& algorithms,
                                            CentroidEffort effort = {});

/// How many links the chains of this algorithm have at most; 1 if it makes none.
[[nodiscard]] std::int64_t most_links(AlgorithmSettings const& settings,
                                      AlgorithmType const& algorithm);

/// The settings on which the memory of a generation depends, for messages.
[[nodiscard]] std::string sizes_of(SearchProblem const& problem);

/// What workers need.
[[nodiscard]] RolloutSetup make_rollout(Settings const& settings,
                                        std::shared_ptr<Domain const> const& domain);

}  // namespace mees
