#pragma once

#include "mees/core/ids.hpp"
#include "mees/qd/elite_map.hpp"

#include <Eigen/Core>

#include <vector>

namespace mees {

/// What a map says of its controllers before the damage, in the units of the optimisation: a row
/// per filled cell in ascending order, BCs scaled to [0, 1] by the map's bounds (a BC outside them
/// lies outside [0, 1]), fitness scaled to [0, 1] by the map's extremes.
struct MapPrior {
    std::vector<CellId> cells;
    Eigen::MatrixXd points;
    Eigen::ArrayXd fitness;
    double lowest;
    double highest;

    /// Not clipped: a damaged robot may do worse than the worst controller of the map did.
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
