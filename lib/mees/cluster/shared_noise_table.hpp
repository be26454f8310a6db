#pragma once

#include "mees/cluster/runtime.hpp"
#include "mees/es/noise_table.hpp"
#include "mees/evaluation/noise_source.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace mees {

/// The noise table in memory that all ranks of a node share: one copy per node, filled by the
/// node's ranks together. A rank that is alone has its own and uses `threads` threads.
///
/// Collective to construct. Throws ClusterError if the node's shared memory is too small, stating
/// how much is needed. `weighted_sum` and `novelties` are for rank 0, within the body of
/// `with_evaluator`: there the other ranks share the work. If one of them is lost, rank 0 does it
/// alone, and the next `evaluate` reports the loss.
class SharedNoiseTable final : public NoiseSource {
  public:
    SharedNoiseTable(ClusterRuntime& runtime, std::int64_t size, std::uint64_t seed,
                     unsigned threads);

    [[nodiscard]] std::span<float const> values() const override { return values_; }
    [[nodiscard]] Eigen::VectorXf weighted_sum(std::span<NoiseOffset const> offsets,
                                               std::span<float const> weights,
                                               std::int64_t size) override;
    [[nodiscard]] std::vector<double> novelties(NoveltyArchive const& archive,
                                                std::span<double const> bcs) override;

  private:
    ClusterRuntime& runtime_;
    unsigned threads_;
    TableMemory own_;  ///< where there is one rank only
    std::span<float const> values_;
    Eigen::VectorXf abandoned_sums_;  ///< that a lost rank may still write to
    std::vector<double> abandoned_novelties_;
};

/// For this module, ranks other than 0: sums this rank's part of what the current command asks for.
/// Calls `finished`.
void sum_noise_part(Ranks& ranks, std::span<float const> noise);

}  // namespace mees
