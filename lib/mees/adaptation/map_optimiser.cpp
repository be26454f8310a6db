#include "mees/adaptation/map_optimiser.hpp"

#include "mees/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mees {
namespace {

/// The first of the largest values.
Eigen::Index largest(Eigen::ArrayXd const& values)
{
    return std::max_element(values.data(), values.data() + values.size()) - values.data();
}

}  // namespace

MapPrior prior_of(EliteMap const& map)
{
    auto const& elites = map.elites();
    if (elites.empty()) {
        throw FileError{"cannot recover with this map", "it is empty",
                        "Use a map that a search has filled."};
    }
    auto const by_fitness = [](auto const& entry) { return entry.second.fitness; };
    double const lowest = by_fitness(*std::ranges::min_element(elites, {}, by_fitness));
    double const highest = by_fitness(*std::ranges::max_element(elites, {}, by_fitness));
    if (!(lowest < highest)) {
        throw FileError{
            "cannot recover with this map",
            fmt::format("the fitness of all {} controllers is {}", map.filled(), lowest),
            "Use a map of controllers with different fitness."};
    }

    auto const& space = map.space();
    MapPrior prior{{},
                   Eigen::MatrixXd(map.filled(), space.dimensions()),
                   Eigen::ArrayXd(map.filled()),
                   lowest,
                   highest};
    Eigen::Index row = 0;
    for (auto const& [cell, elite] : elites) {
        prior.cells.push_back(cell);
        prior.fitness[row] = prior.scaled(elite.fitness);
        for (std::size_t axis = 0; axis < elite.bc.size(); ++axis) {
            double const lower = space.lower()[axis];
            double const width = space.upper()[axis] - lower;
            prior.points(row, static_cast<Eigen::Index>(axis)) = (elite.bc[axis] - lower) / width;
        }
        ++row;
    }
    return prior;
}

Eigen::ArrayXd acquire(GaussianProcess const& process, double kappa, Acquisition acquisition)
{
    if (acquisition == Acquisition::std) {
        return process.mean() + kappa * process.variance().sqrt();
    }
    return process.mean() + kappa * process.variance();
}

MapOptimiser::MapOptimiser(std::shared_ptr<MapPrior const> prior, MapOptimiserSettings settings)
    : prior_{std::move(prior)},
      settings_{settings},
      process_{prior_->points, prior_->fitness, settings.rho, settings.noise_variance}
{
    expects(process_.candidates() > 0, "the prior has at least one cell");
    expects(settings_.trials > 0, "the number of trials is positive");
}

bool MapOptimiser::finished() const
{
    if (std::ssize(trials_) >= settings_.trials) {
        return true;
    }
    if (!settings_.alpha || trials_.empty()) {
        return false;
    }
    double const found = std::ranges::max(trials_, {}, &MapTrial::fitness).fitness;
    return prior_->scaled(found) >= *settings_.alpha * process_.mean().maxCoeff();
}

Eigen::Index MapOptimiser::next() const
{
    return largest(acquire(process_, settings_.kappa, settings_.acquisition));
}

CellId MapOptimiser::ask() const
{
    return prior_->cells[static_cast<std::size_t>(next())];
}

void MapOptimiser::tell(double fitness)
{
    auto const tried = next();
    double const range = prior_->highest - prior_->lowest;
    trials_.push_back({.cell = prior_->cells[static_cast<std::size_t>(tried)],
                       .predicted = prior_->unscaled(process_.mean()[tried]),
                       .variance = process_.variance()[tried] * range * range,
                       .fitness = fitness});
    process_.observe(tried, prior_->scaled(fitness));
}

CellId MapOptimiser::answer() const
{
    return prior_->cells[static_cast<std::size_t>(largest(process_.mean()))];
}

}  // namespace mees
