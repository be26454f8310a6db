#include "catch.hpp"

#include "mees/core/stream.hpp"
#include "mees/qd/novelty_archive.hpp"

#include <cmath>

using namespace mees;

namespace {

enum class Shape { uniform, clustered, repeated, line };

std::vector<double> points(Shape shape, std::int64_t count, std::int64_t dimensions, int seed)
{
    Stream stream{static_cast<std::uint64_t>(seed), Purpose::test, Generation{0}};
    std::vector<double> values;
    for (std::int64_t i = 0; i < count; ++i) {
        for (std::int64_t axis = 0; axis < dimensions; ++axis) {
            switch (shape) {
                case Shape::uniform:
                    values.push_back(stream.uniform());
                    break;
                case Shape::clustered:
                    values.push_back(std::round(stream.normal()) + 1e-9 * stream.normal());
                    break;
                case Shape::repeated:
                    values.push_back(static_cast<double>(stream.below(2)));
                    break;
                case Shape::line:
                    values.push_back(axis == 0 ? static_cast<double>(i) * 1e-3 : 1.0);
                    break;
            }
        }
    }
    return values;
}

/// The definition, entry by entry: sort all distances, take the k smallest.
double novelty_by_sorting(NoveltyArchive const& archive, std::span<double const> bc)
{
    std::vector<double> squared;
    for (std::int64_t i = 0; i < archive.size(); ++i) {
        double sum = 0;
        for (std::size_t axis = 0; axis < bc.size(); ++axis) {
            double const difference = bc[axis] - archive.entry(i)[axis];
            sum += difference * difference;
        }
        squared.push_back(sum);
    }
    std::sort(squared.begin(), squared.end());
    squared.resize(std::min(squared.size(), static_cast<std::size_t>(archive.settings().k)));
    double mean = 0;
    for (double const value : squared) {
        mean += std::sqrt(value);
    }
    return squared.empty() ? 0 : mean / static_cast<double>(squared.size());
}

}  // namespace

TEST_CASE("the tree finds the distances of a sorted list of all, bit for bit")
{
    auto const shape = GENERATE(Shape::uniform, Shape::clustered, Shape::repeated, Shape::line);
    for (std::int64_t const dimensions : {1, 2, 3, 4, 5}) {
        for (std::int64_t const count : {0, 3, 24, 25, 64, 700}) {
            for (std::int64_t const k : {1, 10, 12, 13, 40}) {
                NoveltyArchive archive{dimensions, {k, NoveltyMetric::euclidean}};
                auto const entries = points(shape, count, dimensions, 1);
                auto const size = static_cast<std::size_t>(dimensions);
                for (std::size_t i = 0; i < entries.size(); i += size) {
                    archive.add(std::span{entries}.subspan(i, size));
                }
                auto const queries = points(shape, 70, dimensions, 2);
                auto const found = archive.novelties(queries);
                REQUIRE(found.size() == 70);
                for (std::size_t i = 0; i < found.size(); ++i) {
                    auto const query = std::span{queries}.subspan(i * size, size);
                    REQUIRE(found[i] == novelty_by_sorting(archive, query));
                    REQUIRE(found[i] == archive.novelty(query));
                }
            }
        }
    }
}

TEST_CASE("entries that came after the tree was made count too")
{
    NoveltyArchive archive{4, {10, NoveltyMetric::euclidean}};
    auto const entries = points(Shape::uniform, 3000, 4, 3);
    auto const queries = points(Shape::uniform, 100, 4, 4);
    for (std::size_t i = 0; i < 3000; ++i) {
        archive.add(std::span{entries}.subspan(4 * i, 4));
        if (i % 500 < 15 && i > 500) {
            auto const copy = archive;
            REQUIRE(archive.novelties(queries)[7]
                    == novelty_by_sorting(archive, std::span{queries}.subspan(28, 4)));
            REQUIRE(copy.novelties(queries) == archive.novelties(queries));
        }
    }
}
