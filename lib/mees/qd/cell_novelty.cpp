#include "mees/qd/cell_novelty.hpp"

namespace mees {

void CellNovelty::refresh(EliteMap& map, NoveltyArchive const& archive)
{
    for (auto const& [cell, elite] : map.elites()) {
        auto found = cells_.find(cell);
        if (found == cells_.end() || found->second.inserted != elite.inserted
            || archive.first() > 0) {
            found = cells_
                        .insert_or_assign(cell,
                                          Neighbours{archive.nearest(elite.bc, elite.archive_entry),
                                                     elite.inserted})
                        .first;
        } else {
            for (auto entry = seen_; entry < archive.size(); ++entry) {
                if (elite.archive_entry != entry) {
                    found->second.squared_distances.offer(
                        squared_distance(elite.bc, archive.entry(entry)));
                }
            }
        }
        map.set_novelty(cell, mean_distance(found->second.squared_distances.values(),
                                            archive.settings().metric));
    }
    seen_ = archive.size();
}

}  // namespace mees
