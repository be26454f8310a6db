#include "catch.hpp"

#include "mees/core/error.hpp"
#include "mees/navigation/arena.hpp"

using namespace mees;

namespace {

/// A box from (1, 1) to (2, 2) and a circle of radius 1 around (-3, 0), in a square of side 10.
ArenaSettings obstacles(double robot_radius = 0)
{
    ArenaSettings settings;
    settings.lower = {-5, -5};
    settings.upper = {5, 5};
    settings.robot_radius = robot_radius;
    settings.boxes = {{{1, 1}, {2, 2}}};
    settings.circles = {{{-3, 0}, 1}};
    return settings;
}

}  // namespace

TEST_CASE("points in free space", "[navigation]")
{
    Arena const arena{obstacles()};
    CHECK(arena.is_free({0, 0}));
    CHECK(arena.is_free({4.9, -4.9}));
    CHECK_FALSE(arena.is_free({5.1, 0}));
    CHECK_FALSE(arena.is_free({1.5, 1.5}));
    CHECK(arena.is_free({0.9, 1.5}));
    CHECK_FALSE(arena.is_free({-3.5, 0.5}));
    CHECK(arena.is_free({-1.9, 0}));
    Arena const wide{obstacles(0.2)};
    CHECK_FALSE(wide.is_free({4.9, 0}));
    CHECK_FALSE(wide.is_free({0.9, 1.5}));
    CHECK_FALSE(wide.is_free({-1.9, 0}));
}

TEST_CASE("lines through free space", "[navigation]")
{
    Arena const arena{obstacles()};
    CHECK_FALSE(arena.is_free({0, 1.5}, {3, 1.5}));  // through the box
    CHECK_FALSE(arena.is_free({1.5, 0}, {1.5, 3}));
    CHECK(arena.is_free({0, 0.9}, {3, 0.9}));  // below it
    CHECK(arena.is_free({0, 2.5}, {0.9, 3}));
    CHECK_FALSE(arena.is_free({0, 0.5}, {2.5, 3}));   // y = x + 0.5 meets it at (1, 1.5)
    CHECK(arena.is_free({0, 1.5}, {2, 3.5}));         // y = x + 1.5 passes above (1, 2)
    CHECK_FALSE(arena.is_free({-5, 0.9}, {0, 0.9}));  // 0.9 from the circle's centre
    CHECK(arena.is_free({-5, 1.1}, {0, 1.1}));
    CHECK(arena.is_free({-1.5, 0}, {0, 0}));  // ends before it
}

TEST_CASE("a robot that is not in free space may leave it", "[navigation]")
{
    Arena const arena{obstacles()};
    CHECK(arena.collides({0, 0}, {6, 0}));
    CHECK(arena.collides({0, 1.5}, {3, 1.5}));
    CHECK_FALSE(arena.collides({0, 0}, {1, 0}));
    CHECK_FALSE(arena.collides({6, 0}, {4, 0}));
    CHECK(arena.collides({6, 0}, {7, 0}));
}

TEST_CASE("start and targets must be free", "[navigation]")
{
    Arena const arena{obstacles()};
    CHECK_NOTHROW(require_free(arena, {{4, 4}, {-1, 0}}));
    CHECK_THROWS_AS(require_free(arena, {{4, 4}, {9, 0}}), ConfigError);
    CHECK_THROWS_AS(require_free(arena, {{1.5, 1.5}}), ConfigError);
    auto blocked = obstacles();
    blocked.circles.push_back({{0, 0}, 0.1});
    CHECK_THROWS_AS(require_free(Arena{blocked}, {{4, 4}}), ConfigError);
}
