#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mees {

// Scores of offspring whose weighted mean of noise is a gradient of evolvability: the diversity of
// the BCs of a controller's offspring (Gajewski et al. 2019). BCs are row-major, members x axes.

/// Each coordinate divided by the extent of its axis.
[[nodiscard]] std::vector<double> scaled_behaviours(std::span<double const> bcs,
                                                    std::span<double const> extents);

/// Of the BCs' total variance: a member's squared distance from the mean.
[[nodiscard]] std::vector<double> spread_values(std::span<double const> bcs, std::size_t members);

/// Of the entropy of their density, estimated with a Gaussian kernel of this width: with
/// k_ij = exp(-|b_i - b_j|^2 / (2 width^2)) and p_i the mean of k_ij over j,
/// -log p_i - mean over j of k_ij / p_j. Time is quadratic in the members.
[[nodiscard]] std::vector<double> entropy_values(std::span<double const> bcs, std::size_t members,
                                                 double width);

}  // namespace mees
