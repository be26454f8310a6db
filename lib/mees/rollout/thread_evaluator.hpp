#pragma once

#include "mees/evaluation/evaluator.hpp"
#include "mees/rollout/episode_runner.hpp"

#include <vector>

namespace mees {

/// As many threads as asked for; one per core for 0.
[[nodiscard]] unsigned thread_count(unsigned asked);

/// Evaluates batches on threads of this process; episodes are handed out one after the other to
/// whichever thread is free.
class ThreadEvaluator : public Evaluator {
  public:
    /// `noise` is the whole table and must outlive the evaluator.
    ThreadEvaluator(RolloutSetup const& setup, std::span<float const> noise, unsigned threads);

    [[nodiscard]] std::optional<BatchResult> evaluate(Batch const& batch, StopToken& stop) override;
    [[nodiscard]] Eigen::VectorXf weighted_noise(std::span<NoiseOffset const> offsets,
                                                 std::span<float const> weights,
                                                 std::int64_t size) override;
    [[nodiscard]] std::span<float const> noise() const override { return noise_; }
    [[nodiscard]] std::vector<WorkerTiming> timing() override;

  private:
    std::int64_t bc_size_;
    std::span<float const> noise_;
    std::vector<EpisodeRunner> runners_;
    std::vector<double> waiting_;
};

}  // namespace mees
