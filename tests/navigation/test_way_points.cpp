#include "catch.hpp"

#include "mees/navigation/way_points.hpp"

#include <cmath>

using namespace mees;

namespace {

/// A square of 10 x 10 cells of 1 m, with a wall at x = 5..6 that leaves y > 8 open.
Arena walled()
{
    ArenaSettings settings;
    settings.lower = {0, 0};
    settings.upper = {10, 10};
    settings.cell = 1;
    settings.boxes = {{{5.1, 0}, {5.9, 8}}};
    return Arena{settings};
}

Arena empty()
{
    auto settings = walled().settings();
    settings.boxes.clear();
    return Arena{settings};
}

}  // namespace

TEST_CASE("shortest paths on an empty grid", "[navigation]")
{
    auto const arena = empty();
    WayPoints const ways{arena, {8.5, 2.5}};
    // Five cells along x.
    CHECK(ways.length({3.5, 2.5}) == Approx(5));
    // Three diagonal steps and two straight ones.
    CHECK(ways.length({3.5, 5.5}) == Approx(3 * std::sqrt(2.0) + 2));
    CHECK(ways.length({8.2, 2.9}) == 0);
    // The second point on the way.
    auto const next = ways.next({3.6, 2.4});
    CHECK(next.x == Approx(5.5));
    CHECK(next.y == Approx(2.5));
    // Within a cell of the target: the target, not the centre of a cell.
    CHECK(ways.next({7.9, 2.5}) == GroundPoint{8.5, 2.5});
}

TEST_CASE("paths around a wall", "[navigation]")
{
    auto const arena = walled();
    WayPoints const ways{arena, {8.5, 0.5}};
    // From (2.5, 0.5): straight lines lead through the wall. Over the gap's cells at y = 8.5, at
    // least six columns and eight rows up and down: 2 sqrt 2 per diagonal pair at best.
    double const around = ways.length({2.5, 0.5});
    CHECK(around > 16);
    CHECK(around < 6 + 16);
    // Every way-point is reached in a straight line, and leads on to the target.
    GroundPoint at{2.5, 0.5};
    int steps = 0;
    while (distance(at, {8.5, 0.5}) > 1e-9 && steps < 30) {
        auto const next = ways.next(at);
        CHECK(arena.is_free(at, next));
        at = next;
        ++steps;
    }
    CHECK(at == GroundPoint{8.5, 0.5});
}

TEST_CASE("without a path the target itself is the way-point", "[navigation]")
{
    auto settings = walled().settings();
    settings.boxes = {{{5.1, 0}, {5.9, 10}}};
    Arena const arena{settings};
    WayPoints const ways{arena, {8.5, 0.5}};
    CHECK(std::isinf(ways.length({2.5, 0.5})));
    CHECK(ways.next({2.5, 0.5}) == GroundPoint{8.5, 0.5});
    // Places outside the arena belong to the nearest cell.
    CHECK(ways.length({12, 0.5}) == Approx(1));
}
