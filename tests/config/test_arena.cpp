#include "catch.hpp"

#include "mees/config/arena.hpp"
#include "mees/core/error.hpp"

#include <string>

using namespace mees;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("an arena as it is written", "[arena]")
{
    auto const arena = parse_arena(R"(
lower = [-4, -3.5]
upper = [4, 3]
cell = 0.25
robot_radius = 0.1
[[box]]
lower = [1, 1]
upper = [2, 2]
[[circle]]
centre = [-1, 0]
radius = 0.5
)",
                                   "a.toml");
    CHECK(arena.lower == GroundPoint{-4, -3.5});
    CHECK(arena.upper == GroundPoint{4, 3});
    CHECK(arena.cell == 0.25);
    CHECK(arena.robot_radius == 0.1);
    CHECK(arena.boxes == std::vector<BoxObstacle>{{{1, 1}, {2, 2}}});
    CHECK(arena.circles == std::vector<CircleObstacle>{{{-1, 0}, 0.5}});
    CHECK(parse_arena(to_toml(arena), "again") == arena);
    CHECK(parse_arena("", "empty") == ArenaSettings{});
}

TEST_CASE("targets as they are written", "[arena]")
{
    CHECK(parse_targets("targets = [[1, 2.5], [-3, 0]]", "t")
          == std::vector<GroundPoint>{{1, 2.5}, {-3, 0}});
}

TEST_CASE("invalid arenas and targets name the line", "[arena]")
{
    auto const [text, problem] = GENERATE(table<std::string, std::string>({
        {"lowr = [0, 0]", "line 1: unknown key lowr"},
        {"lower = 3", "line 1: lower must be two numbers"},
        {"lower = [0, 0, 0]", "two numbers"},
        {"lower = [0, \"a\"]", "must be a number"},
        {"lower = [nan, 0]", "must be a number"},
        {"lower = [1, 1]\nupper = [1, 2]", "lower must be below upper"},
        {"cell = 0", "cell must be at least"},
        {"cell = 0.01", "more than"},
        {"robot_radius = -1", "robot_radius must be at least 0"},
        {"\n[[box]]\nlower = [0, 0]", "upper is missing"},
        {"[[box]]\nlower = [0, 0]\nupper = [0, 1]", "lower must be below upper"},
        {"box = [1]", "box must be a table"},
        {"box = 1", "box must be a list"},
        {"[[circle]]\ncentre = [0, 0]", "radius is missing"},
        {"[[circle]]\ncentre = [0, 0]\nradius = 1\ncolour = 2", "unknown key colour"},
        {"lower = [", "line 1"},
    }));
    INFO(text);
    CHECK_THROWS_WITH(parse_arena(text, "a.toml"), ContainsSubstring(problem));
    CHECK_THROWS_AS(parse_arena(text, "a.toml"), ConfigError);
}

TEST_CASE("invalid targets", "[arena]")
{
    auto const [text, problem] = GENERATE(table<std::string, std::string>({
        {"", "there is no target"},
        {"targets = []", "there is no target"},
        {"targets = [1, 2]", "a target must be two numbers"},
        {"target = [[1, 2]]", "unknown key target"},
        {"targets = [[1, 1e9]]", "must be a number within"},
    }));
    INFO(text);
    CHECK_THROWS_WITH(parse_targets(text, "t.toml"), ContainsSubstring(problem));
}
