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

Eigen::ArrayXd squared_exponential(Eigen::ArrayXd const& distances, double length)
{
    Eigen::ArrayXd const exponents = distances.square() * (-0.5 / (length * length));
    return exponents.unaryExpr([](double x) { return std::exp(x); });
}

Eigen::ArrayXd distances_to(Eigen::MatrixXd const& points, Eigen::Index row)
{
    Eigen::ArrayXd squares = Eigen::ArrayXd::Zero(points.rows());
    for (Eigen::Index axis = 0; axis < points.cols(); ++axis) {
        squares += (points.col(axis).array() - points(row, axis)).square();
    }
    return squares.sqrt();
}

GaussianProcess::GaussianProcess(Eigen::MatrixXd points, Eigen::ArrayXXd prior_mean, Kernel kernel,
                                 double noise_variance)
    : points_{std::move(points)},
      kernel_{std::move(kernel)},
      noise_variance_{noise_variance},
      mean_{std::move(prior_mean)},
      variance_{Eigen::ArrayXd::Constant(points_.rows(), kernel_(Eigen::ArrayXd::Zero(1))[0])}
{
    expects(points_.rows() == mean_.rows(), "every candidate has a prior mean");
    expects(noise_variance > 0, "the noise variance is positive");
}

GaussianProcess::GaussianProcess(Eigen::MatrixXd points, Eigen::ArrayXd prior_mean, double rho,
                                 double noise_variance)
    : GaussianProcess{std::move(points), Eigen::ArrayXXd{std::move(prior_mean)},
                      [rho](Eigen::ArrayXd const& distances) { return matern_5_2(distances, rho); },
                      noise_variance}
{
    expects(rho > 0, "the length scale is positive");
}

void GaussianProcess::observe(Eigen::Index candidate, double value)
{
    observe(candidate, Eigen::ArrayXd::Constant(1, value));
}

// Observations lie at candidates, so the new row of the Cholesky factor L is the new candidate's
// row of `solved_`, and its diagonal element follows from the posterior variance there: L_tt^2 =
// k(c, c) + noise - sum_j L_tj^2 = variance(c) + noise.
void GaussianProcess::observe(Eigen::Index candidate,
                              Eigen::Ref<Eigen::ArrayXd const> const& values)
{
    expects(candidate >= 0 && candidate < candidates(), "the candidate exists");
    expects(values.size() == mean_.cols() && values.isFinite().all(),
            "a finite measurement of each output");
    auto const t = observations_;
    if (t == solved_.cols()) {
        solved_.conservativeResize(candidates(), std::max<Eigen::Index>(32, 2 * t));
    }
    double const diagonal = std::sqrt(variance_[candidate] + noise_variance_);
    Eigen::ArrayXd column = kernel_(distances_to(points_, candidate));
    for (Eigen::Index j = 0; j < t; ++j) {
        column -= solved_(candidate, j) * solved_.col(j).array();
    }
    column /= diagonal;

    for (Eigen::Index output = 0; output < mean_.cols(); ++output) {
        mean_.col(output) += column * ((values[output] - mean_(candidate, output)) / diagonal);
    }
    variance_ = (variance_ - column.square()).max(0.0);
    solved_.col(t) = column;
    ++observations_;
}

}  // namespace mees
