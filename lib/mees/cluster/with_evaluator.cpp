#include "mees/cluster/with_evaluator.hpp"

#include "mees/cluster/mpi_evaluator.hpp"
#include "mees/rollout/thread_evaluator.hpp"

namespace mees {

ExitCode with_evaluator(ClusterRuntime& runtime, RolloutSetup const& setup,
                        std::span<float const> noise, unsigned threads,
                        std::function<ExitCode(Evaluator&)> const& body)
{
    if (runtime.size() == 1) {
        ThreadEvaluator evaluator{setup, noise, thread_count(threads)};
        return body(evaluator);
    }
    if (runtime.is_master()) {
        MpiEvaluator evaluator{runtime, setup};
        return body(evaluator);
    }
    run_worker(runtime, setup, noise);
    return ExitCode::success;
}

}  // namespace mees
