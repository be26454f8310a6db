#pragma once

#include "mees/cluster/runtime.hpp"
#include "mees/rollout/episode_runner.hpp"

#include <span>

namespace mees {

/// Every rank but 0: runs the episodes that rank 0's evaluator hands out until it is released.
/// Throws ShutdownRequested if rank 0 ends before that.
void run_worker(ClusterRuntime& runtime, RolloutSetup const& setup, std::span<float const> noise);

}  // namespace mees
