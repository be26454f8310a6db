#pragma once

#include "mees/core/ids.hpp"
#include "mees/qd/neighbour_tree.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace mees {

/// The cells into which behaviours are sorted: a regular grid over a box, or (CVT) the Voronoi
/// cells of given centroids.
///
/// Grid: bin = clamp(floor((bc - lower) / (upper - lower) * bins), 0, bins - 1) per axis, the cell
/// is the row-major index of the bins; a BC outside the bounds belongs to the border cell. CVT: the
/// nearest centroid in coordinates scaled to the bounds, the lower index at a tie.
class BehaviourSpace {
  public:
    BehaviourSpace(std::vector<std::int64_t> bins, std::vector<double> lower,
                   std::vector<double> upper);
    /// `centroids` is row-major, cells x dimensions, in the units of the BC.
    [[nodiscard]] static BehaviourSpace voronoi(std::vector<double> centroids,
                                                std::vector<double> lower,
                                                std::vector<double> upper);

    [[nodiscard]] std::int64_t dimensions() const
    {
        return static_cast<std::int64_t>(lower_.size());
    }
    [[nodiscard]] std::int64_t cells() const { return cells_; }
    [[nodiscard]] bool is_grid() const { return centroids_.empty(); }

    [[nodiscard]] CellId cell_of(std::span<double const> bc) const;
    /// Per axis the bin of a cell; for a CVT the cell index itself on the first axis, then zeros.
    [[nodiscard]] std::vector<std::int32_t> bins_of(CellId cell) const;

    [[nodiscard]] std::vector<std::int64_t> const& bins() const { return bins_; }
    [[nodiscard]] std::vector<double> const& lower() const { return lower_; }
    [[nodiscard]] std::vector<double> const& upper() const { return upper_; }
    /// Per axis upper - lower.
    [[nodiscard]] std::vector<double> extents() const;
    [[nodiscard]] std::vector<double> const& centroids() const { return centroids_; }

    friend bool operator==(BehaviourSpace const& a, BehaviourSpace const& b)
    {
        return a.bins_ == b.bins_ && a.lower_ == b.lower_ && a.upper_ == b.upper_
               && a.centroids_ == b.centroids_;
    }

  private:
    BehaviourSpace() = default;
    [[nodiscard]] CellId grid_cell(std::span<double const> bc) const;
    [[nodiscard]] CellId voronoi_cell(std::span<double const> bc) const;

    std::vector<std::int64_t> bins_;
    std::vector<double> lower_;
    std::vector<double> upper_;
    std::vector<double> centroids_;
    std::shared_ptr<NeighbourTree const> tree_;  ///< of the centroids, scaled to the bounds
    std::int64_t cells_{0};
};

}  // namespace mees
