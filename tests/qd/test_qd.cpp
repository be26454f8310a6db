#include "catch.hpp"
#include "mees/core/error.hpp"
#include "mees/core/stream.hpp"
#include "mees/qd/cell_novelty.hpp"
#include "mees/qd/elite_map.hpp"
#include "mees/qd/novelty_archive.hpp"

#include <array>
#include <cmath>
#include <limits>

using namespace mees;

namespace {

Elite elite(std::vector<double> bc, double fitness)
{
    Elite result;
    result.bc = std::move(bc);
    result.fitness = fitness;
    return result;
}

/// The twelve points of the scipy example below.
NoveltyArchive example_archive(NoveltySettings settings)
{
    NoveltyArchive archive{2, settings};
    for (int i = 0; i < 12; ++i) {
        archive.add(std::array{((7 * i) % 11) / 10.0, ((5 * i * i) % 13) / 13.0});
    }
    return archive;
}

}  // namespace

TEST_CASE("bins are half-open and the outer ones open-ended")
{
    BehaviourSpace const space{{10, 4}, {-40, 0}, {40, 1}};
    auto const cell = [&](double x, double y) { return space.cell_of(std::array{x, y}).value(); };
    CHECK(space.cells() == 40);
    CHECK(cell(-40, 0) == 0);
    CHECK(cell(-32, 0) == 4);
    CHECK(cell(-32.0001, 0.2499) == 0);
    CHECK(cell(0, 0.25) == 5 * 4 + 1);
    CHECK(cell(40, 1) == 39);
    CHECK(cell(1e300, -1e300) == 36);
    CHECK(space.bins_of(CellId{21}) == std::vector<std::int32_t>{5, 1});
}

TEST_CASE("a CVT assigns the nearest centroid in scaled coordinates")
{
    auto const space =
        BehaviourSpace::voronoi({0.0, 0.0, 10.0, 0.5, 0.0, 1.0}, {0.0, 0.0}, {10.0, 1.0});
    CHECK(space.cells() == 3);
    CHECK(space.cell_of(std::array{1.0, 0.4}) == CellId{0});
    CHECK(space.cell_of(std::array{1.0, 0.6}) == CellId{2});
    CHECK(space.cell_of(std::array{9.0, 0.1}) == CellId{1});
    CHECK(space.cell_of(std::array{0.0, 0.5}) == CellId{0});
}

TEST_CASE("a controller enters an empty cell or a less fit one's")
{
    EliteMap map{BehaviourSpace{{2}, {0}, {1}}};
    CHECK(map.insert(elite({0.1}, 1)).outcome == InsertionOutcome::discovered);
    CHECK(map.insert(elite({0.2}, 1)).outcome == InsertionOutcome::rejected);
    CHECK(map.insert(elite({0.2}, 1.5)).outcome == InsertionOutcome::improved);
    CHECK(map.insert(elite({0.9}, -3)).outcome == InsertionOutcome::discovered);
    CHECK(map.filled() == 2);
    CHECK(map.find(CellId{0})->bc == std::vector{0.2});
    CHECK(map.find(CellId{0})->inserted == 1);
    CHECK(best_cell(map) == CellId{0});
    CHECK(qd_score(map, -5) == 1.5 + 5 + (-3 + 5));
    CHECK_THROWS_AS(map.insert(elite({0.1}, std::numeric_limits<double>::quiet_NaN())),
                    ContractViolation);
}

TEST_CASE("the best of equals is the lower cell")
{
    EliteMap map{BehaviourSpace{{3}, {0}, {3}}};
    map.insert(elite({2.5}, 7));
    map.insert(elite({1.5}, 7));
    CHECK(best_cell(map) == CellId{1});
}

// scipy.spatial.cKDTree(points).query(q, k): mean of distances, mean of squared distances.
TEST_CASE("novelty is the mean distance to the k nearest")
{
    std::array const query{0.31, 0.77};
    CHECK(example_archive({3, NoveltyMetric::euclidean}).novelty(query)
          == Approx(0.20873333645556794).epsilon(1e-14));
    CHECK(example_archive({10, NoveltyMetric::euclidean}).novelty(query)
          == Approx(0.41752087642710894).epsilon(1e-14));
    CHECK(example_archive({3, NoveltyMetric::squared}).novelty(query)
          == Approx(0.04387179487179488).epsilon(1e-14));
    CHECK(example_archive({10, NoveltyMetric::squared}).novelty(query)
          == Approx(0.21420946745562128).epsilon(1e-14));
    auto const archive = example_archive({3, NoveltyMetric::euclidean});
    CHECK(archive.novelty(archive.entry(4), 4) == Approx(0.27282822363089715).epsilon(1e-14));
}

TEST_CASE("an archive smaller than k uses what there is")
{
    NoveltyArchive archive{1, {10, NoveltyMetric::euclidean}};
    CHECK(archive.novelty(std::array{3.0}) == 0);
    archive.add(std::array{1.0});
    CHECK(archive.novelty(std::array{3.0}) == 2);
    CHECK(archive.novelty(std::array{1.0}, 0) == 0);
    archive.add(std::array{7.0});
    CHECK(archive.novelty(std::array{3.0}) == 3);
}

TEST_CASE("many queries say what single ones say, to the bit")
{
    NoveltyArchive archive{3, {10, NoveltyMetric::euclidean}};
    Stream stream{1, Purpose::test, Generation{0}};
    std::vector<double> queries;
    for (int i = 0; i < 3000; ++i) {
        // Coarse values: many exact ties.
        archive.add(std::array{std::floor(stream.uniform() * 8), stream.uniform(), 0.0});
    }
    for (int i = 0; i < 600; ++i) {
        queries.push_back(std::floor(stream.uniform() * 8));
    }
    auto const together = archive.novelties(queries);
    for (std::size_t i = 0; i < together.size(); ++i) {
        CHECK(together[i] == archive.novelty(std::span{queries}.subspan(3 * i, 3)));
    }
}

TEST_CASE("cell novelties kept current equal those worked out anew")
{
    EliteMap map{BehaviourSpace{{5, 5}, {0, 0}, {1, 1}}};
    NoveltyArchive archive{2, {4, NoveltyMetric::euclidean}};
    CellNovelty current;
    Stream stream{1, Purpose::test, Generation{0}};
    for (int i = 0; i < 300; ++i) {
        std::vector const bc{stream.uniform(), stream.uniform()};
        auto candidate = elite(bc, stream.uniform());
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
