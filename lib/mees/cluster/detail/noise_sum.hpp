#pragma once

#include "mees/cluster/detail/ranks.hpp"
#include "mees/core/ids.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <span>

namespace mees {

/// Rank 0: lets every rank sum its part of the parameters and joins the parts. Element j of the
/// result is summed by one rank, in index order: the split changes no bit.
[[nodiscard]] Eigen::VectorXf sum_noise_together(Ranks& ranks, std::span<float const> noise,
                                                 std::span<NoiseOffset const> offsets,
                                                 std::span<float const> weights, std::int64_t size);

/// Others: this rank's part of what the payload of the current command asks for. Calls `finished`.
void sum_noise_part(Ranks& ranks, std::span<float const> noise);

}  // namespace mees
