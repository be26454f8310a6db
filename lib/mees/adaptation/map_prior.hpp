#pragma once

#include "mees/core/ids.hpp"
#include "mees/qd/elite_map.hpp"

#include <Eigen/Core>

#include <vector>

namespace mees {

/// The map as prior knowledge, in the units of the optimisation: a row per filled cell in ascending
/// order, BCs scaled to [0, 1] by the map's bounds (a BC outside them is outside [0, 1]), fitness
/// scaled to [0, 1] by the lowest and highest fitness in the map.
struct MapPrior {
    std::vector<CellId> cells;
    Eigen::MatrixXd points;
    Eigen::ArrayXd fitness;
    double lowest;
    double highest;

    /// Not clipped: the fitness of a damaged robot may be below the lowest in the map.
    [[nodiscard]] double scaled(double fitness) const
    {
        return (fitness - lowest) / (highest - lowest);
    }
    [[nodiscard]] double unscaled(double value) const
    {
        return lowest + value * (highest - lowest);
    }
};

/// Throws FileError for a map that is empty or whose controllers all have the same fitness.
[[nodiscard]] MapPrior prior_of(EliteMap const& map);

}  // namespace mees
