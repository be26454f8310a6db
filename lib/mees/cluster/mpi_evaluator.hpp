#pragma once

#include "mees/cluster/master_timing.hpp"
#include "mees/cluster/runtime.hpp"
#include "mees/cluster/shared_noise_table.hpp"
#include "mees/evaluation/evaluator.hpp"
#include "mees/rollout/episode_runner.hpp"

#include <memory>

namespace mees {

/// Rank 0's side of a cluster: hands the episodes of a batch to the other ranks, which are in
/// `run_worker` meanwhile. Needs at least one other rank.
///
/// A failure on any rank ends `evaluate` with a ClusterError that names rank, host and episode. A
/// signal that another rank got counts as this rank's own. The destructor sends the workers home.
class MpiEvaluator : public Evaluator {
  public:
    MpiEvaluator(ClusterRuntime& runtime, RolloutSetup const& setup, SharedNoiseTable const& noise);
    ~MpiEvaluator() override;

    [[nodiscard]] std::optional<BatchResult> evaluate(Batch const& batch, StopToken& stop) override;
    [[nodiscard]] Eigen::VectorXf weighted_noise(std::span<NoiseOffset const> offsets,
                                                 std::span<float const> weights,
                                                 std::int64_t size) override;
    [[nodiscard]] std::span<float const> noise() const override;
    /// The master first, then the workers by rank.
    [[nodiscard]] std::vector<WorkerTiming> timing() override;
    [[nodiscard]] MasterTiming master_timing() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// What every rank but 0 does: runs what rank 0's MpiEvaluator hands out until that is destroyed.
void run_worker(ClusterRuntime& runtime, RolloutSetup const& setup, SharedNoiseTable const& noise);

}  // namespace mees
