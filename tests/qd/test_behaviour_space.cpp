#include "catch.hpp"
#include "mees/core/error.hpp"
#include "mees/qd/behaviour_space.hpp"

#include <array>

using namespace mees;

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
