#pragma once

#include "mees/navigation/arena.hpp"

#include <cstdint>
#include <vector>

namespace mees {

/// The shortest paths to one target, over the cells of an arena's grid.
///
/// A path steps to one of eight neighbours whose centre can be reached in a straight line. Computed
/// once, by a search that starts at the target, for all places: what A* finds from each of them.
class WayPoints {
  public:
    WayPoints(Arena const& arena, GroundPoint const& target);

    /// Where to walk next: the second point on the way if the straight line to it is free, else the
    /// first; the target itself if it is within a cell, and where no path is known.
    [[nodiscard]] GroundPoint next(GroundPoint const& from) const;
    /// The length of the path from the centre of the cell at this place, in metres; infinite where
    /// there is none.
    [[nodiscard]] double length(GroundPoint const& from) const;

  private:
    [[nodiscard]] std::int64_t cell_at(GroundPoint const& point) const;
    [[nodiscard]] GroundPoint centre(std::int64_t cell) const;
    void search(std::int64_t goal);

    Arena const* arena_;
    GroundPoint target_;
    std::int64_t columns_;
    std::int64_t rows_;
    std::vector<double> lengths_;
    std::vector<std::int64_t> next_;  ///< the cell that follows on the way; itself if there is none
};

}  // namespace mees
