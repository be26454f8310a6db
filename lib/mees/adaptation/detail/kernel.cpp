#include "mees/adaptation/detail/kernel.hpp"

#include <cmath>

namespace mees {

Eigen::ArrayXd matern_5_2(Eigen::ArrayXd const& distances, double rho)
{
    Eigen::ArrayXd const s = distances * (std::sqrt(5.0) / rho);
    return (1.0 + s + s.square() / 3.0) * s.unaryExpr([](double x) { return std::exp(-x); });
}

Eigen::ArrayXd distances_to(Eigen::MatrixXd const& points, Eigen::Index row)
{
    Eigen::ArrayXd squares = Eigen::ArrayXd::Zero(points.rows());
    for (Eigen::Index axis = 0; axis < points.cols(); ++axis) {
        squares += (points.col(axis).array() - points(row, axis)).square();
    }
    return squares.sqrt();
}

}  // namespace mees
