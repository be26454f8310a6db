#pragma once

#include "mees/qd/elite_map.hpp"
#include "mees/qd/novelty_archive.hpp"

#include <map>

namespace mees {

/// Keeps the novelty of every elite of a map current as the archive grows, at a cost per generation
/// that does not grow with the archive: each cell remembers the distances to its nearest entries. A
/// cache: recomputed from map and archive it is bit-identical.
class CellNovelty {
  public:
    /// Call after the archive or the map changed.
    void refresh(EliteMap& map, NoveltyArchive const& archive);

  private:
    struct Neighbours {
        KSmallest squared_distances;
        std::int64_t inserted;  ///< distinguishes one elite of a cell from the next
    };
    std::map<CellId, Neighbours> cells_;
    std::int64_t seen_{0};
};

}  // namespace mees
