#pragma once

#include "mees/core/ids.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <span>
#include <vector>

namespace mees {

/// Ranks scaled to [-0.5, 0.5]: the lowest value gets -0.5, the highest 0.5, tied values share the
/// mean of their ranks. One value alone gets 0.
[[nodiscard]] std::vector<double> centred_ranks(std::span<double const> values);

/// rank+ - rank- of each mirrored pair (values 2p and 2p + 1).
[[nodiscard]] std::vector<float> pair_weights(std::span<double const> ranks);

/// sums[j] = sum_i weights[i] * noise[offsets[i] + first + j], in index order, for j in sums.
/// Element j depends on no other element, so any split of the parameter axis gives the same bits.
void sum_weighted_noise(std::span<float const> noise, std::span<NoiseOffset const> offsets,
                        std::span<float const> weights, std::int64_t first, std::span<float> sums);

/// sum_i weights[i] * slice_i and sum_i weights[i] * slice_i^2 of slices of noise.
struct NoiseMoments {
    Eigen::VectorXd first;
    Eigen::VectorXd second;
};

/// Summed in index order.
[[nodiscard]] NoiseMoments noise_moments(std::span<float const> noise,
                                         std::span<NoiseOffset const> offsets,
                                         std::span<double const> weights, std::int64_t size);

}  // namespace mees
