#pragma once

#include <Eigen/Core>

#include <cstdint>
#include <span>
#include <vector>

namespace mees {

// CMA-ES (Hansen, "The CMA evolution strategy: a tutorial", arXiv 1604.00772) with positive
// weights, and its separable form, whose covariance is diagonal (Ros and Hansen 2008).

/// The normal distribution that CMA-ES samples, and what it keeps to adapt it. `covariance` has the
/// n x n entries of a symmetric matrix, or, in the separable form, its n diagonal entries.
struct CmaState {
    double sigma{0};
    std::int64_t updates{0};
    Eigen::VectorXd mean;  ///< not used by the separable form, whose user keeps it
    Eigen::VectorXd step_path;
    Eigen::VectorXd covariance_path;
    Eigen::VectorXd covariance;
};

/// Constants of the adaptation.
struct CmaRates {
    std::vector<double> weights;  ///< of the best half of a population; their sum is 1
    double effective_parents;     ///< 1 / sum of squared weights
    double step_path;             ///< c_sigma
    double damping;               ///< d_sigma
    double covariance_path;       ///< c_c
    double rank_one;              ///< c_1
    double rank_mu;               ///< c_mu
};

/// `population` is at least 2.
[[nodiscard]] CmaRates cma_rates(std::int64_t dimensions, std::int64_t population);
/// The same, with (dimensions + 2) / 3 times the rates of the covariance.
[[nodiscard]] CmaRates separable_cma_rates(std::int64_t dimensions, std::int64_t population);

/// Mean 0, the identity as covariance.
[[nodiscard]] CmaState initial_cma(std::int64_t dimensions, double sigma);
[[nodiscard]] CmaState initial_separable_cma(std::int64_t dimensions, double sigma);

/// A matrix A with A A^T = covariance: mean + sigma A z is a sample if z is standard normal.
[[nodiscard]] Eigen::MatrixXd sampling_matrix(CmaState const& state);

/// The distribution after a population; `samples` has a row per parent, the best first, as many as
/// there are weights.
[[nodiscard]] CmaState adapted(CmaRates const& rates, CmaState state,
                               Eigen::MatrixXd const& samples);

/// The separable form, for parents mean + sigma sqrt(covariance) z_i: `steps` is sum_i w_i z_i and
/// `squares` sum_i w_i z_i^2.
[[nodiscard]] CmaState adapted_separable(CmaRates const& rates, CmaState state,
                                         Eigen::VectorXd const& steps,
                                         Eigen::VectorXd const& squares);

/// Whether the distribution is of no use any more: narrower than 1e-11 everywhere, with a condition
/// number above 1e14, or not finite.
[[nodiscard]] bool is_degenerate(CmaState const& state);
[[nodiscard]] bool is_degenerate_separable(CmaState const& state);

}  // namespace mees
