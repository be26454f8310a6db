#pragma once

#include "mees/experiment/estimate.hpp"
#include "mees/experiment/problem.hpp"
#include "mees/sim/task.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace mees {

/// An episode that was run to measure its cost on one core.
struct EpisodeCost {
    std::int64_t steps{0};
    double seconds{0};
};

/// Runs an episode of a controller whose outputs are 0.
[[nodiscard]] EpisodeCost time_episode(SearchProblem const& problem,
                                       std::shared_ptr<Domain const> const& domain);

/// The core-hours of a run, if all its episodes last as long as they can, and its wall time on this
/// number of cores.
[[nodiscard]] std::string time_estimate(Estimate const& estimate, TaskSpec const& spec,
                                        EpisodeCost const& cost, unsigned cores);

}  // namespace mees
