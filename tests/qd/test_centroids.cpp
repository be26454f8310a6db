#include "catch.hpp"
#include "mees/core/stream.hpp"
#include "mees/qd/behaviour_space.hpp"
#include "mees/qd/centroids.hpp"

#include <algorithm>
#include <array>
#include <cmath>

using namespace mees;

TEST_CASE("Lloyd's centroids of a line are evenly spaced")
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
