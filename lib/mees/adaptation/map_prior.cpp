#include "mees/adaptation/map_prior.hpp"

#include "mees/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mees {
namespace {

void check_usable(EliteMap const& map, double lowest, double highest)
{
    if (map.filled() == 0) {
        throw FileError{"cannot recover with this map", "it is empty",
                        "Use a map that a search has filled."};
    }
    if (!(lowest < highest)) {
        throw FileError{
            "cannot recover with this map",
            fmt::format("the fitness of all {} controllers is {}", map.filled(), lowest),
            "Use a map of controllers with different fitness."};
    }
}

}  // namespace

MapPrior prior_of(EliteMap const& map)
{
    auto const& elites = map.elites();
    auto const by_fitness = [](auto const& entry) { return entry.second.fitness; };
    bool const empty = elites.empty();
    double const lowest = empty ? 0 : by_fitness(*std::ranges::min_element(elites, {}, by_fitness));
    double const highest =
        empty ? 0 : by_fitness(*std::ranges::max_element(elites, {}, by_fitness));
    check_usable(map, lowest, highest);

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

}  // namespace mees
