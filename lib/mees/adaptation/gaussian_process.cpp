#include "mees/adaptation/gaussian_process.hpp"

#include "mees/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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

GaussianProcess::GaussianProcess(Eigen::MatrixXd points, Eigen::ArrayXd prior_mean, double rho,
                                 double noise_variance)
    : points_{std::move(points)},
      rho_{rho},
      noise_variance_{noise_variance},
      mean_{std::move(prior_mean)},
      variance_{Eigen::ArrayXd::Ones(points_.rows())}
{
    expects(points_.rows() == mean_.size(), "every candidate has a prior mean");
    expects(rho > 0 && noise_variance > 0, "length scale and noise variance are positive");
}

// Observations lie at candidates, so the new row of the Cholesky factor L is the new candidate's
// row of `solved_`, and its diagonal element follows from the posterior variance there: L_tt^2 =
// k(c, c) + noise - sum_j L_tj^2 = variance(c) + noise.
void GaussianProcess::observe(Eigen::Index candidate, double value)
{
    expects(candidate >= 0 && candidate < candidates(), "the candidate exists");
    expects(std::isfinite(value), "a measurement is finite");
    auto const t = observations_;
    if (t == solved_.cols()) {
        solved_.conservativeResize(candidates(), std::max<Eigen::Index>(32, 2 * t));
    }
    double const diagonal = std::sqrt(variance_[candidate] + noise_variance_);
    Eigen::ArrayXd column = matern_5_2(distances_to(points_, candidate), rho_);
    for (Eigen::Index j = 0; j < t; ++j) {
        column -= solved_(candidate, j) * solved_.col(j).array();
    }
    column /= diagonal;

    mean_ += column * ((value - mean_[candidate]) / diagonal);
    variance_ = (variance_ - column.square()).max(0.0);
    solved_.col(t) = column;
    ++observations_;
}

}  // namespace mees
