#include "catch.hpp"
#include "mees/core/stream.hpp"
#include "mees/qd/cell_novelty.hpp"

using namespace mees;

TEST_CASE("cell novelties kept current equal those computed from scratch")
{
    for (std::int64_t const window : {0, 20}) {
        EliteMap map{BehaviourSpace{{5, 5}, {0, 0}, {1, 1}}};
        NoveltyArchive archive{2, {.k = 4, .window = window}};
        CellNovelty current;
        Stream stream{1, Purpose::test, Generation{0}};
        for (int i = 0; i < 300; ++i) {
            std::vector const bc{stream.uniform(), stream.uniform()};
            Elite candidate{.bc = bc, .fitness = stream.uniform()};
            candidate.archive_entry = archive.size();
            map.insert(candidate);
            archive.add(bc);
            current.refresh(map, archive);
            if (i % 50 == 49) {
                for (auto const& [cell, entry] : map.elites()) {
                    CHECK(entry.novelty == archive.novelty(entry.bc, entry.archive_entry));
                }
            }
        }
    }
}
