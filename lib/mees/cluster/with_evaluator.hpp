#pragma once

#include "mees/cluster/runtime.hpp"
#include "mees/evaluation/evaluator.hpp"
#include "mees/rollout/episode_runner.hpp"

#include <functional>
#include <span>

namespace mees {

/// Collective: runs `body` on rank 0 with an evaluator of `setup`, whose result is returned there.
/// The other ranks run episodes for it until `body` has ended and return success; a rank that is
/// alone evaluates on `threads` threads (0: one per core).
///
/// `noise` is this rank's view of the noise table that offsets in batches refer to; empty where no
/// episode is perturbed. A failure on any rank ends `evaluate` with a ClusterError that names rank,
/// host and episode; a rank that ends or gives no sign of life, with a WorkerLost. Ranks that would
/// compute something else than rank 0 are refused before. After a stop request, ranks that do not
/// answer are waited for some seconds and then given up: `evaluate` returns nothing, and
/// `run_on_cluster` ends all processes with the exit code of `body`. If rank 0 itself is stuck in
/// an MPI call for longer than the limit of silence, the process ends after `before_exit` of the
/// evaluator. A signal that another rank
/// received counts as rank 0's own. If `body` throws, the exception must reach `run_on_cluster`,
/// whose shutdown releases the other ranks.
[[nodiscard]] ExitCode with_evaluator(ClusterRuntime& runtime, RolloutSetup const& setup,
                                      std::span<float const> noise, unsigned threads,
                                      std::function<ExitCode(Evaluator&)> const& body);

}  // namespace mees
