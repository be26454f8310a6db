#include "catch.hpp"
#include "mees/core/stream.hpp"
#include "mees/qd/novelty_archive.hpp"

#include <array>
#include <cmath>

using namespace mees;

namespace {

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

TEST_CASE("many queries give the bits of single queries")
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

TEST_CASE("rows can be shared")
{
    NoveltyArchive archive{1, {.k = 2}};
    for (double const value : {0.0, 10.0, 30.0}) {
        archive.add(std::vector{value});
    }
    // Nearest two: 0 and 10; 0 and 10; 10 and 30; 30 and 10.
    std::vector<double> const bcs{0, 4, 20, 31};
    CHECK(archive.novelties(bcs) == std::vector{5.0, 5.0, 10.0, 11.0});
    std::vector<double> part(2);
    archive.novelties(bcs, 1, part);
    CHECK(part == std::vector{5.0, 10.0});
    archive.novelties(bcs, 2, part);
    CHECK(part == std::vector{10.0, 11.0});
    archive.novelties(bcs, 4, {});
}

TEST_CASE("with a window, only the last entries count")
{
    NoveltySettings const windowed{.k = 4, .window = 100};
    NoveltyArchive all{2, windowed};
    Stream stream{1, Purpose::test, Generation{0}};
    std::vector<double> queries;
    for (int i = 0; i < 300; ++i) {
        std::array const bc{stream.uniform(), stream.uniform()};
        all.add(bc);
        queries.insert(queries.end(), bc.begin(), bc.end());
    }
    NoveltyArchive last{2, {.k = 4}};
    for (std::int64_t i = 200; i < 300; ++i) {
        last.add(all.entry(i));
    }
    CHECK(all.size() == 300);
    CHECK(all.first() == 200);
    auto const together = all.novelties(queries);
    CHECK(together == last.novelties(queries));
    for (std::size_t i = 0; i < together.size(); ++i) {
        std::span const query{queries.data() + 2 * i, 2};
        CHECK(all.novelty(query) == together[i]);
    }
    CHECK(all.novelty(all.entry(250), 250) == last.novelty(last.entry(50), 50));
}
