#pragma once

#include "mees/evaluation/evaluator.hpp"
#include "mees/evaluation/noise_source.hpp"
#include "mees/rollout/episode_set.hpp"

#include <vector>

namespace mees {

/// `asked`, or one per core for 0.
[[nodiscard]] unsigned thread_count(unsigned asked);

/// Evaluates batches on threads of this process; each free thread takes the next
/// episode, or as many as the domain runs at once.
class ThreadEvaluator final : public Evaluator {
  public:
    /// `noise` is the complete table and must outlive the evaluator; it may be empty where no
    /// episode is perturbed.
    ThreadEvaluator(RolloutSetup const& setup, std::span<float const> noise, unsigned threads);

    [[nodiscard]] std::optional<BatchResult> evaluate(Batch const& batch, StopToken& stop) override;
    [[nodiscard]] std::int32_t workers() const override
    {
        return static_cast<std::int32_t>(sets_.size());
    }
    [[nodiscard]] std::vector<WorkerTiming> timing() const override;

  private:
    std::int64_t bc_size_;
    std::vector<EpisodeSet> sets_;
    std::vector<double> waiting_;
};

/// Sums noise on threads of this process; one of them computes novelties.
class ThreadNoise final : public NoiseSource {
  public:
    /// `values` is the complete table and must outlive this object.
    ThreadNoise(std::span<float const> values, unsigned threads);

    [[nodiscard]] std::span<float const> values() const override { return values_; }
    [[nodiscard]] Eigen::VectorXf weighted_sum(std::span<NoiseOffset const> offsets,
                                               std::span<float const> weights,
                                               std::int64_t size) override;
    [[nodiscard]] std::vector<double> novelties(NoveltyArchive const& archive,
                                                std::span<double const> bcs) override;

  private:
    std::span<float const> values_;
    unsigned threads_;
};

}  // namespace mees
