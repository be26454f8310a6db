#pragma once

#include "mees/cluster/runtime.hpp"
#include "mees/rollout/episode_runner.hpp"

namespace mees {

/// Collective: throws on rank 0, naming the rank and its host, unless all ranks have the same
/// models (FileError) and compute the same numbers (ClusterError).
void compare_ranks(ClusterRuntime& runtime, RolloutSetup const& setup);

}  // namespace mees
