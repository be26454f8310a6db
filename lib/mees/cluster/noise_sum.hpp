#pragma once

#include "mees/cluster/runtime_impl.hpp"
#include "mees/core/ids.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <span>

namespace mees {

/// Rank 0: has all ranks sum their part of the parameters and puts the parts together. Element j of
/// the result is summed by one rank, in index order: the split does not show.
[[nodiscard]] Eigen::VectorXf sum_noise_together(ClusterRuntime::Impl& runtime,
                                                 std::span<float const> noise,
                                                 std::span<NoiseOffset const> offsets,
                                                 std::span<float const> weights, std::int64_t size);

/// Others: this rank's part of what the payload of the current command asks for. Calls `finished`.
void sum_noise_part(ClusterRuntime::Impl& runtime, std::span<float const> noise);

}  // namespace mees
