#pragma once

#include "mees/cluster/runtime.hpp"
#include "mees/evaluation/evaluator.hpp"
#include "mees/rollout/episode_runner.hpp"

#include <memory>
#include <span>

namespace mees {

/// Rank 0's side of a cluster: hands the episodes of a batch to the other ranks, which are in
/// `run_worker` meanwhile. Needs at least one other rank.
///
/// A failure on any rank ends `evaluate` with a ClusterError that names rank, host and episode. A
/// signal that another rank got counts as this rank's own. The destructor sends the workers home.
class MpiEvaluator final : public Evaluator {
  public:
    MpiEvaluator(ClusterRuntime& runtime, RolloutSetup const& setup);
    ~MpiEvaluator() override;

    [[nodiscard]] std::optional<BatchResult> evaluate(Batch const& batch, StopToken& stop) override;
    [[nodiscard]] std::int32_t workers() const override;
    /// By rank.
    [[nodiscard]] std::vector<WorkerTiming> timing() const override;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// What every rank but 0 does: runs what rank 0's MpiEvaluator hands out until that is destroyed.
void run_worker(ClusterRuntime& runtime, RolloutSetup const& setup, std::span<float const> noise);

}  // namespace mees
