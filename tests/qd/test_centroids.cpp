#include "catch.hpp"
#include "mees/core/stream.hpp"
#include "mees/qd/behaviour_space.hpp"
#include "mees/qd/centroids.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

using namespace mees;

TEST_CASE("lloyd's centroids of a line are evenly spaced")
{
    // The centroidal tessellation of an interval into n cells is unique: midpoints of n equal
    // parts.
    auto centroids = lloyd_centroids({4, 20'000, 3}, std::array{-2.0}, std::array{2.0});
    std::ranges::sort(centroids);
    REQUIRE(centroids.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(centroids[i] == Approx(-1.5 + static_cast<double>(i)).margin(0.15));
    }
}

TEST_CASE("centroids depend on the seed alone, and their cells are about equally large")
{
    std::array const lower{0.0, 0.0, -1.0};
    std::array const upper{1.0, 10.0, 1.0};
    auto const centroids = lloyd_centroids({20, 4'000, 1}, lower, upper);
    CHECK(lloyd_centroids({20, 4'000, 1}, lower, upper) == centroids);
    CHECK(lloyd_centroids({20, 4'000, 2}, lower, upper) != centroids);

    auto const space = BehaviourSpace::voronoi(centroids, {lower.begin(), lower.end()},
                                               {upper.begin(), upper.end()});
    std::vector<int> hits(20, 0);
    Stream stream{1, Purpose::test, Generation{0}};
    for (int i = 0; i < 20'000; ++i) {
        std::array const bc{stream.uniform(), stream.uniform(0, 10), stream.uniform(-1, 1)};
        ++hits.at(static_cast<std::size_t>(space.cell_of(bc).value()));
    }
    CHECK(*std::ranges::min_element(hits) > 400);
    CHECK(*std::ranges::max_element(hits) < 2500);
}

namespace {

/// The cell that a loop over all centroids finds.
std::int64_t nearest_by_loop(BehaviourSpace const& space, std::span<double const> bc)
{
    std::int64_t best = 0;
    auto smallest = std::numeric_limits<double>::infinity();
    for (std::int64_t cell = 0; cell < space.cells(); ++cell) {
        double distance = 0;
        for (std::size_t axis = 0; axis < bc.size(); ++axis) {
            auto const centroid =
                space.centroids()[static_cast<std::size_t>(cell) * bc.size() + axis];
            double const difference =
                (bc[axis] - centroid) / (space.upper()[axis] - space.lower()[axis]);
            distance += difference * difference;
        }
        if (distance < smallest) {
            smallest = distance;
            best = cell;
        }
    }
    return best;
}

}  // namespace

TEST_CASE("a CVT's cells are those of a loop over all centroids, ties included")
{
    std::vector<double> const lower{-3.0, 0.1};
    std::vector<double> const upper{7.0, 0.4};
    auto centroids = lloyd_centroids({.cells = 300, .samples = 3'000}, lower, upper);
    // Twice the same centroids, and a lattice that makes exact ties.
    centroids.insert(centroids.end(), centroids.begin(), centroids.begin() + 200);
    for (int i = 0; i < 100; ++i) {
        centroids.insert(centroids.end(), {-3.0 + i % 10, 0.1 + 0.03 * (i / 10)});
    }
    auto const space = BehaviourSpace::voronoi(centroids, lower, upper);
    Stream stream{2, Purpose::test, Generation{0}};
    for (int i = 0; i < 3'000; ++i) {
        std::array const bc{stream.uniform(-6, 10), stream.uniform(0, 0.5)};
        CHECK(space.cell_of(bc).value() == nearest_by_loop(space, bc));
        std::array const between{-3.0 + 0.5 * (i % 21), 0.1 + 0.015 * (i / 21 % 21)};
        CHECK(space.cell_of(between).value() == nearest_by_loop(space, between));
        std::span const same{centroids.data() + i % 600 * 2, 2};
        CHECK(space.cell_of(same).value() == nearest_by_loop(space, same));
    }
    constexpr auto nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(space.cell_of(std::array{nan, 0.2}).value() == 0);
    CHECK(space.cell_of(std::array{1e300, -1e300}).value() == 0);
}

TEST_CASE("lloyd's algorithm gives the same centroids with any number of threads")
{
    std::array const lower{0.0, -1.0, 5.0};
    std::array const upper{1.0, 1.0, 6.0};
    std::vector<int> reported;
    auto const one = lloyd_centroids({.cells = 200, .samples = 5'000, .threads = 1}, lower, upper);
    auto const three = lloyd_centroids({.cells = 200, .samples = 5'000, .threads = 3}, lower, upper,
                                       [&](int iteration) { reported.push_back(iteration); });
    CHECK(one == three);
    CHECK(reported.size() == 30);
    CHECK(reported.back() == 30);
    // Values of version 0.1, which compared each point with each centroid.
    auto const stored =
        lloyd_centroids({300, 5'000, 7}, std::array{-5.0, -5.0}, std::array{5.0, 5.0});
    CHECK(stored.at(0) == 1.2047562543658463);
    CHECK(stored.at(1) == 1.0494948808969085);
    CHECK(stored.at(298) == -3.689175889138954);
    CHECK(stored.at(599) == -2.456800622254976);
}

TEST_CASE("without iterations the centroids are the first points")
{
    auto const points = lloyd_centroids({.cells = 5, .samples = 1'000'000'000, .iterations = 0},
                                        std::array{2.0}, std::array{3.0});
    REQUIRE(points.size() == 5);
    CHECK(std::ranges::all_of(points, [](double x) { return x >= 2 && x < 3; }));
}
