#pragma once

#include "mees/algorithms/offspring.hpp"
#include "mees/qd/behaviour_space.hpp"

#include <span>
#include <vector>

namespace mees {

/// A cell of the map as the goal of an ES (ARIA: Grillotti, Flageat, Lim and Cully 2023).
///
/// Its centre d_c is the centre of the grid cell, or the centroid of the Voronoi cell. Distances
/// count a grid axis in widths of the cell, an axis of a CVT in widths of the bounds.
class TargetCell {
  public:
    TargetCell(BehaviourSpace const& space, CellId cell);

    /// As the map sorts behaviours: a border cell of a grid reaches beyond the bounds.
    [[nodiscard]] bool contains(std::span<double const> bc) const;
    /// ||bc - d_c||_2
    [[nodiscard]] double distance(std::span<double const> bc) const;
    [[nodiscard]] std::vector<double> const& centre() const { return centre_; }

  private:
    BehaviourSpace const* space_;
    CellId cell_;
    std::vector<double> centre_;
    std::vector<double> width_;
};

/// What an ES towards the cell ranks its offspring by: F = f + 10^6 for a BC in the cell, otherwise
/// -||bc - d_c||_2. Every offspring in the cell is above every other one: where that needs more
/// than 10^6, because f is very low, more is added to all of them.
[[nodiscard]] std::vector<double> target_values(TargetCell const& target,
                                                OffspringValues const& offspring);

}  // namespace mees
