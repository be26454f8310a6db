#pragma once

#include <Eigen/Core>

#include <functional>

namespace mees {

/// Matern kernel of smoothness 5/2 and length scale rho at each distance:
/// (1 + s + s^2 / 3) exp(-s) with s = sqrt(5) distance / rho.
[[nodiscard]] Eigen::ArrayXd matern_5_2(Eigen::ArrayXd const& distances, double rho);

/// The squared exponential kernel exp(-d^2 / (2 length^2)) at each distance d.
[[nodiscard]] Eigen::ArrayXd squared_exponential(Eigen::ArrayXd const& distances, double length);

/// Euclidean distance of every row of `points` to row `row`.
[[nodiscard]] Eigen::ArrayXd distances_to(Eigen::MatrixXd const& points, Eigen::Index row);

/// A Gaussian process on a fixed set of candidates, observed at candidates only.
///
/// Its prior mean is given per candidate, its observations carry independent noise. `mean` and
/// `variance` are the exact posterior at every candidate after each `observe`: the Cholesky factor
/// of the observations' covariance grows by one row, and with it the factor's solution for all
/// candidates, so the t-th observation of n candidates costs O(t n). Nothing of size n x n is ever
/// formed.
///
/// Several processes that share points, kernel and noise, and are observed together, are the
/// columns of one: they have the same variance.
class GaussianProcess {
  public:
    /// The kernel's values at distances.
    using Kernel = std::function<Eigen::ArrayXd(Eigen::ArrayXd const& distances)>;

    /// `points` is candidates x dimensions, `prior_mean` candidates x outputs. noise_variance > 0.
    GaussianProcess(Eigen::MatrixXd points, Eigen::ArrayXXd prior_mean, Kernel kernel,
                    double noise_variance);
    /// One output and the Matern 5/2 kernel with variance 1. rho > 0.
    GaussianProcess(Eigen::MatrixXd points, Eigen::ArrayXd prior_mean, double rho,
                    double noise_variance);

    /// Adds the measurements of all outputs at a candidate. The same candidate may be observed
    /// again.
    void observe(Eigen::Index candidate, Eigen::Ref<Eigen::ArrayXd const> const& values);
    void observe(Eigen::Index candidate, double value);

    [[nodiscard]] Eigen::Index candidates() const { return points_.rows(); }
    [[nodiscard]] Eigen::Index observations() const { return observations_; }
    /// Of the first output.
    [[nodiscard]] auto mean() const { return mean_.col(0); }
    /// candidates x outputs.
    [[nodiscard]] Eigen::ArrayXXd const& means() const { return mean_; }
    /// Of the function itself, without the observation noise; never negative.
    [[nodiscard]] Eigen::ArrayXd const& variance() const { return variance_; }

  private:
    Eigen::MatrixXd points_;
    Kernel kernel_;
    double noise_variance_;
    Eigen::ArrayXXd mean_;
    Eigen::ArrayXd variance_;
    Eigen::Index observations_{0};
    /// Columns L^-1 k(observed, candidates): a column per observation, a row per candidate.
    Eigen::MatrixXd solved_;
};

}  // namespace mees
