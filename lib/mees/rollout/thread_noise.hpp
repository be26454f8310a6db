#pragma once

#include "mees/evaluation/noise_source.hpp"

namespace mees {

/// Sums noise on threads of this process.
class ThreadNoise final : public NoiseSource {
  public:
    /// `values` is the complete table and must outlive this object.
    ThreadNoise(std::span<float const> values, unsigned threads);

    [[nodiscard]] std::span<float const> values() const override { return values_; }
    [[nodiscard]] Eigen::VectorXf weighted_sum(std::span<NoiseOffset const> offsets,
                                               std::span<float const> weights,
                                               std::int64_t size) override;

  private:
    std::span<float const> values_;
    unsigned threads_;
};

}  // namespace mees
