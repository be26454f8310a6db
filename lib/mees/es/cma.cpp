#include "mees/es/cma.hpp"

#include "mees/core/error.hpp"
#include "mees/core/statistics.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mees {
namespace {

constexpr double narrowest = 1e-11;
constexpr double worst_condition = 1e14;

/// How the covariance takes up a population.
struct CovarianceStep {
    double kept;      ///< factor of the covariance so far
    double rank_one;  ///< of the path's outer product
};

/// Updates both paths and sigma for the weighted mean `step` of the parents' steps, in units of
/// sigma; `whitened` is the same times covariance^(-1/2).
CovarianceStep follow_path(CmaRates const& rates, CmaState& state, Eigen::VectorXd const& step,
                           Eigen::VectorXd const& whitened)
{
    auto const n = static_cast<double>(step.size());
    auto const cumulated = [&](double rate) {
        return std::sqrt(rate * (2 - rate) * rates.effective_parents);
    };
    ++state.updates;
    state.step_path =
        (1 - rates.step_path) * state.step_path + cumulated(rates.step_path) * whitened;
    double const length = sum_of_squares(state.step_path) / n;
    double const start = 1 - std::pow(1 - rates.step_path, 2 * static_cast<double>(state.updates));
    bool const follows = length / start < 2 + 4 / (n + 1);
    state.covariance_path *= 1 - rates.covariance_path;
    if (follows) {
        state.covariance_path += cumulated(rates.covariance_path) * step;
    }
    state.sigma *= std::exp(std::min(1.0, rates.step_path / rates.damping * (length - 1) / 2));
    double const lost = follows ? 0 : rates.covariance_path * (2 - rates.covariance_path);
    return {1 - rates.rank_one * (1 - lost) - rates.rank_mu, rates.rank_one};
}

CmaState initial_distribution(std::int64_t dimensions, double sigma)
{
    CmaState state;
    state.sigma = sigma;
    state.step_path = Eigen::VectorXd::Zero(dimensions);
    state.covariance_path = Eigen::VectorXd::Zero(dimensions);
    return state;
}

Eigen::Map<Eigen::MatrixXd const> as_matrix(CmaState const& state)
{
    auto const n = state.step_path.size();
    expects(state.covariance.size() == n * n, "a full covariance");
    return {state.covariance.data(), n, n};
}

bool is_useless(CmaState const& state, double smallest, double largest)
{
    bool const finite = std::isfinite(state.sigma) && state.mean.allFinite()
                        && state.step_path.allFinite() && state.covariance_path.allFinite()
                        && state.covariance.allFinite();
    return !finite || !(smallest > 0) || largest > worst_condition * smallest
           || state.sigma * std::sqrt(largest) < narrowest;
}

}  // namespace

CmaRates cma_rates(std::int64_t dimensions, std::int64_t population)
{
    expects(dimensions > 0 && population >= 2, "a population with parents");
    auto const n = static_cast<double>(dimensions);
    auto const parents = population / 2;
    CmaRates rates{};
    double sum = 0;
    for (std::int64_t i = 1; i <= parents; ++i) {
        rates.weights.push_back(std::log(static_cast<double>(parents) + 0.5)
                                - std::log(static_cast<double>(i)));
        sum += rates.weights.back();
    }
    double squares = 0;
    for (auto& weight : rates.weights) {
        weight /= sum;
        squares += weight * weight;
    }
    double const mu = 1 / squares;
    rates.effective_parents = mu;
    rates.step_path = (mu + 2) / (n + mu + 5);
    rates.damping = 1 + 2 * std::max(0.0, std::sqrt((mu - 1) / (n + 1)) - 1) + rates.step_path;
    rates.covariance_path = (4 + mu / n) / (n + 4 + 2 * mu / n);
    rates.rank_one = 2 / ((n + 1.3) * (n + 1.3) + mu);
    rates.rank_mu = std::min(1 - rates.rank_one, 2 * (mu - 2 + 1 / mu) / ((n + 2) * (n + 2) + mu));
    return rates;
}

CmaRates separable_cma_rates(std::int64_t dimensions, std::int64_t population)
{
    auto rates = cma_rates(dimensions, population);
    double const faster = (static_cast<double>(dimensions) + 2) / 3;
    rates.rank_one = std::min(1.0, faster * rates.rank_one);
    rates.rank_mu = std::min(1 - rates.rank_one, faster * rates.rank_mu);
    return rates;
}

CmaState initial_cma(std::int64_t dimensions, double sigma)
{
    auto state = initial_distribution(dimensions, sigma);
    state.mean = Eigen::VectorXd::Zero(dimensions);
    state.covariance = Eigen::MatrixXd::Identity(dimensions, dimensions).reshaped();
    return state;
}

CmaState initial_separable_cma(std::int64_t dimensions, double sigma)
{
    auto state = initial_distribution(dimensions, sigma);
    state.covariance = Eigen::VectorXd::Ones(dimensions);
    return state;
}

Eigen::MatrixXd sampling_matrix(CmaState const& state)
{
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> const solver{as_matrix(state)};
    return solver.eigenvectors() * solver.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
}

CmaState adapted(CmaRates const& rates, CmaState state, Eigen::MatrixXd const& samples)
{
    auto const n = state.step_path.size();
    expects(samples.cols() == n && samples.rows() == std::ssize(rates.weights),
            "a row for each weight");
    Eigen::VectorXd step = Eigen::VectorXd::Zero(n);
    Eigen::MatrixXd spread = Eigen::MatrixXd::Zero(n, n);
    for (Eigen::Index i = 0; i < samples.rows(); ++i) {
        Eigen::VectorXd const own = (samples.row(i).transpose() - state.mean) / state.sigma;
        double const weight = rates.weights[static_cast<std::size_t>(i)];
        step += weight * own;
        spread += weight * own * own.transpose();
    }
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> const solver{as_matrix(state)};
    Eigen::VectorXd const whitened = solver.operatorInverseSqrt() * step;
    state.mean += state.sigma * step;
    auto const change = follow_path(rates, state, step, whitened);
    state.covariance =
        (change.kept * as_matrix(state)
         + change.rank_one * state.covariance_path * state.covariance_path.transpose()
         + rates.rank_mu * spread)
            .eval()
            .reshaped();
    return state;
}

CmaState adapted_separable(CmaRates const& rates, CmaState state, Eigen::VectorXd const& steps,
                           Eigen::VectorXd const& squares)
{
    expects(steps.size() == state.covariance.size() && squares.size() == steps.size(),
            "a number for each dimension");
    Eigen::VectorXd const step = state.covariance.cwiseSqrt().cwiseProduct(steps);
    auto const change = follow_path(rates, state, step, steps);
    state.covariance = change.kept * state.covariance
                       + change.rank_one * state.covariance_path.cwiseAbs2()
                       + rates.rank_mu * state.covariance.cwiseProduct(squares);
    return state;
}

bool is_degenerate(CmaState const& state)
{
    if (!state.covariance.allFinite()) {
        return true;
    }
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> const solver{as_matrix(state),
                                                                Eigen::EigenvaluesOnly};
    return is_useless(state, solver.eigenvalues().minCoeff(), solver.eigenvalues().maxCoeff());
}

bool is_degenerate_separable(CmaState const& state)
{
    return is_useless(state, state.covariance.minCoeff(), state.covariance.maxCoeff());
}

}  // namespace mees
