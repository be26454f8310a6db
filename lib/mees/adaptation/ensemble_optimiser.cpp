#include "mees/adaptation/ensemble_optimiser.hpp"

#include "mees/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace mees {
namespace {

Eigen::Index first_of_largest(Eigen::ArrayXd const& values)
{
    return std::max_element(values.data(), values.data() + values.size()) - values.data();
}

Eigen::Index row_of(MapPrior const& prior, CellId cell)
{
    auto const found = std::ranges::lower_bound(prior.cells, cell);
    expects(found != prior.cells.end() && *found == cell, "a trial is of a filled cell");
    return found - prior.cells.begin();
}

/// The prior mean of a map at a point that need not be one of its elites'.
double fitness_at(MapPrior const& prior, Eigen::RowVectorXd const& point)
{
    Eigen::Index nearest = 0;
    (prior.points.rowwise() - point).rowwise().squaredNorm().minCoeff(&nearest);
    return prior.fitness[nearest];
}

void share_scale(std::vector<MapPrior>& priors)
{
    double const lowest = std::ranges::min(priors, {}, &MapPrior::lowest).lowest;
    double const highest = std::ranges::max(priors, {}, &MapPrior::highest).highest;
    for (auto& prior : priors) {
        if (prior.lowest != lowest || prior.highest != highest) {
            auto const own = prior;
            prior.lowest = lowest;
            prior.highest = highest;
            prior.fitness = own.fitness.unaryExpr(
                [&](double value) { return prior.scaled(own.unscaled(value)); });
        }
    }
}

double log_density(double value, double mean, double variance)
{
    double const distance = value - mean;
    return -0.5 * (std::log(2 * std::numbers::pi * variance) + distance * distance / variance);
}

}  // namespace

EnsembleOptimiser::EnsembleOptimiser(std::vector<MapPrior> priors,
                                     MapOptimiserSettings const& settings)
    : priors_{std::move(priors)}, settings_{settings}, log_likelihoods_(priors_.size(), 0)
{
    expects(!priors_.empty(), "at least one map");
    expects(settings_.trials > 0, "the number of trials is positive");
    share_scale(priors_);
    for (auto const& prior : priors_) {
        expects(prior.points.rows() > 0 && prior.points.cols() == priors_.front().points.cols(),
                "maps with elites and the same BC");
        processes_.emplace_back(prior.points, prior.fitness, settings_.rho,
                                settings_.noise_variance);
    }
}

std::int64_t EnsembleOptimiser::best_map() const
{
    return std::ranges::max_element(log_likelihoods_) - log_likelihoods_.begin();
}

GaussianProcess const& EnsembleOptimiser::process() const
{
    return processes_[static_cast<std::size_t>(best_map())];
}

Eigen::Index EnsembleOptimiser::cells() const
{
    return priors_[static_cast<std::size_t>(best_map())].points.rows();
}

Proposal EnsembleOptimiser::proposal(Eigen::Index row) const
{
    auto const map = best_map();
    auto const& prior = priors_[static_cast<std::size_t>(map)];
    double const range = prior.highest - prior.lowest;
    return {.map = map,
            .cell = prior.cells[static_cast<std::size_t>(row)],
            .predicted = prior.unscaled(process().mean()[row]),
            .variance = process().variance()[row] * range * range};
}

Proposal EnsembleOptimiser::ask() const
{
    Eigen::ArrayXd const values = acquire(process(), settings_.kappa, settings_.acquisition);
    return proposal(first_of_largest(values.head(cells())));
}

Proposal EnsembleOptimiser::answer() const
{
    return proposal(first_of_largest(process().mean().head(cells())));
}

bool EnsembleOptimiser::finished() const
{
    if (std::ssize(trials_) >= settings_.trials) {
        return true;
    }
    if (!settings_.alpha || trials_.empty()) {
        return false;
    }
    double const found = std::ranges::max(trials_, {}, &EnsembleTrial::fitness).fitness;
    return priors_.front().scaled(found)
           >= *settings_.alpha * process().mean().head(cells()).maxCoeff();
}

void EnsembleOptimiser::tell(EnsembleTrial const& trial)
{
    expects(trial.tried.map >= 0 && trial.tried.map < std::ssize(priors_), "the map exists");
    trials_.push_back(trial);
    for (std::size_t map = 0; map < priors_.size(); ++map) {
        update(map);
    }
}

/// Makes the process of a map again. A trial with another map adds a candidate, which a process
/// cannot; there are few trials.
void EnsembleOptimiser::update(std::size_t map)
{
    auto const& prior = priors_[map];
    auto points = prior.points;
    auto mean = prior.fitness;
    std::vector<Eigen::Index> rows;
    for (auto const& [tried, fitness] : trials_) {
        auto const& other = priors_[static_cast<std::size_t>(tried.map)];
        auto row = row_of(other, tried.cell);
        if (&other != &prior) {
            Eigen::RowVectorXd const point = other.points.row(row);
            row = points.rows();
            points.conservativeResize(row + 1, Eigen::NoChange);
            points.row(row) = point;
            mean.conservativeResize(row + 1);
            mean[row] = fitness_at(prior, point);
        }
        rows.push_back(row);
    }
    GaussianProcess process{std::move(points), std::move(mean), settings_.rho,
                            settings_.noise_variance};
    double likelihood = 0;
    for (std::size_t i = 0; i < trials_.size(); ++i) {
        double const value = prior.scaled(trials_[i].fitness);
        likelihood += log_density(value, process.mean()[rows[i]],
                                  process.variance()[rows[i]] + settings_.noise_variance);
        process.observe(rows[i], value);
    }
    processes_[map] = std::move(process);
    log_likelihoods_[map] = likelihood;
}

}  // namespace mees
