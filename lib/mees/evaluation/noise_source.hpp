#pragma once

#include "mees/core/ids.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <span>
#include <vector>

namespace mees {

class NoveltyArchive;

/// The noise table that all workers share, and the parts of an update that they compute together:
/// weighted sums of slices of the table, and novelties.
///
/// Guarantees: results depend on the table and the arguments only, bit for bit, never on the number
/// of workers that share the work.
class NoiseSource {
  public:
    NoiseSource() = default;
    NoiseSource(NoiseSource const&) = delete;
    NoiseSource& operator=(NoiseSource const&) = delete;
    virtual ~NoiseSource() = default;

    /// The complete table, as this process sees it.
    [[nodiscard]] virtual std::span<float const> values() const = 0;

    /// sum_i weights[i] * values[offsets[i] .. offsets[i] + size), in index order.
    [[nodiscard]] virtual Eigen::VectorXf weighted_sum(std::span<NoiseOffset const> offsets,
                                                       std::span<float const> weights,
                                                       std::int64_t size) = 0;

    /// As `archive.novelties(bcs)`: the novelty of each row of `bcs`.
    [[nodiscard]] virtual std::vector<double> novelties(NoveltyArchive const& archive,
                                                        std::span<double const> bcs) = 0;
};

}  // namespace mees
