#pragma once

#include <Eigen/Core>

namespace mees {

/// Matern kernel of smoothness 5/2 and length scale rho at each distance:
/// (1 + s + s^2 / 3) exp(-s) with s = sqrt(5) distance / rho.
[[nodiscard]] Eigen::ArrayXd matern_5_2(Eigen::ArrayXd const& distances, double rho);

/// Euclidean distance of every row of `points` to row `row`.
[[nodiscard]] Eigen::ArrayXd distances_to(Eigen::MatrixXd const& points, Eigen::Index row);

}  // namespace mees
