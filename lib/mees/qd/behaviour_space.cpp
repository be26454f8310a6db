#include "mees/qd/behaviour_space.hpp"

#include "mees/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

namespace mees {
namespace {

/// Points, row-major, in coordinates in which the bounds are 0 and 1.
std::vector<double> scaled(std::span<double const> points, std::span<double const> lower,
                           std::span<double const> upper)
{
    std::vector<double> result(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        auto const axis = i % lower.size();
        result[i] = (points[i] - lower[axis]) / (upper[axis] - lower[axis]);
    }
    return result;
}

}  // namespace

BehaviourSpace::BehaviourSpace(std::vector<std::int64_t> bins, std::vector<double> lower,
                               std::vector<double> upper)
    : bins_{std::move(bins)}, lower_{std::move(lower)}, upper_{std::move(upper)}
{
    expects(!bins_.empty() && bins_.size() == lower_.size() && bins_.size() == upper_.size(),
            "bins and bounds for each dimension");
    cells_ = std::accumulate(bins_.begin(), bins_.end(), std::int64_t{1}, std::multiplies{});
    expects(cells_ > 0, "a positive number of cells");
}

BehaviourSpace BehaviourSpace::voronoi(std::vector<double> centroids, std::vector<double> lower,
                                       std::vector<double> upper)
{
    expects(!lower.empty() && lower.size() == upper.size(), "bounds for each dimension");
    expects(!centroids.empty() && centroids.size() % lower.size() == 0, "whole centroids");
    BehaviourSpace space;
    space.cells_ = static_cast<std::int64_t>(centroids.size() / lower.size());
    space.lower_ = std::move(lower);
    space.upper_ = std::move(upper);
    space.centroids_ = std::move(centroids);
    space.tree_ = std::make_shared<NeighbourTree const>(
        scaled(space.centroids_, space.lower_, space.upper_), space.dimensions());
    return space;
}

std::vector<double> BehaviourSpace::extents() const
{
    std::vector<double> extents;
    for (std::size_t axis = 0; axis < lower_.size(); ++axis) {
        extents.push_back(upper_[axis] - lower_[axis]);
    }
    return extents;
}

CellId BehaviourSpace::cell_of(std::span<double const> bc) const
{
    expects(bc.size() == lower_.size(), "a BC of this space's dimensions");
    return is_grid() ? grid_cell(bc) : voronoi_cell(bc);
}

CellId BehaviourSpace::grid_cell(std::span<double const> bc) const
{
    std::int64_t cell = 0;
    for (std::size_t axis = 0; axis < bc.size(); ++axis) {
        auto const count = static_cast<double>(bins_[axis]);
        double const position =
            std::floor((bc[axis] - lower_[axis]) / (upper_[axis] - lower_[axis]) * count);
        cell =
            cell * bins_[axis] + static_cast<std::int64_t>(std::clamp(position, 0.0, count - 1.0));
    }
    return CellId{cell};
}

CellId BehaviourSpace::voronoi_cell(std::span<double const> bc) const
{
    NearestPoints nearest;
    tree_->search(scaled(bc, lower_, upper_), nearest);
    return CellId{nearest.best([&](std::int64_t cell) {
        double distance = 0;
        for (std::size_t axis = 0; axis < bc.size(); ++axis) {
            auto const centroid = centroids_[static_cast<std::size_t>(cell) * bc.size() + axis];
            double const difference = (bc[axis] - centroid) / (upper_[axis] - lower_[axis]);
            distance += difference * difference;
        }
        return distance;
    })};
}

std::vector<std::int32_t> BehaviourSpace::bins_of(CellId cell) const
{
    std::vector<std::int32_t> result(lower_.size(), 0);
    if (!is_grid()) {
        result.front() = static_cast<std::int32_t>(cell.value());
        return result;
    }
    auto rest = cell.value();
    for (auto axis = bins_.size(); axis-- > 0;) {
        result[axis] = static_cast<std::int32_t>(rest % bins_[axis]);
        rest /= bins_[axis];
    }
    return result;
}

}  // namespace mees
