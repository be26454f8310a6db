#include "mees/config/task_description.hpp"

#include "catch.hpp"
#include "mees/core/error.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

using namespace mees;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string shipped(std::string const& name)
{
    std::ifstream file{fmt::format("{}/lib/mees/sim/models/{}.toml", MEES_SOURCE_DIR, name)};
    REQUIRE(file);
    return {std::istreambuf_iterator<char>{file}, {}};
}

/// A description that uses every key.
constexpr auto const* everything = R"(
version = 1
name = "robot"
frame_skip = 4
episode_steps = 7
integrator = "implicit"
contact_forces = true
fitness = "last"
damage = ["J0", "friction=0.5"]
[start]
keyframe = "home"
noise = 0
velocity = "uniform"
[action]
offset = [1, 2.5]
scale = [0.5, 1]
[[observation]]
source = "qpos"
first = 2
count = 3
offset = 5
scale = 70
clip = 1
[[observation]]
source = "contact"
geoms = ["foot", "hand"]
with = "floor"
offset = [1, 0]
[[reward]]
name = "near"
kind = "distance"
source = "position"
body = "torso"
index = [0, 2]
point = [1, 2]
target = 0.5
weight = -2
lower = -10
upper = 0
[[reward]]
name = "seen"
kind = "distance"
source = "site"
site = "eye"
target_site = "goal"
[[end]]
kind = "rate"
source = "com"
index = [0]
seconds = 0.1
upper = 3
[[bc]]
kind = "displacement"
source = "subtree_com"
body = "torso"
names = ["x", "y", "z"]
lower = [0, 0, 0]
upper = [1, 1, 1]
bins = [2, 3, 4]
[damage_words]
motors = ["J0"]
lock = []
shorten = ["leg"]
mass = ["leg"]
)";

std::string changed(std::string text, std::string const& from, std::string const& to)
{
    auto const at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a description is read as it is written")
{
    for (auto const* name : {"ant", "ant_maze", "deceptive_humanoid", "point_maze"}) {
        INFO(name);
        auto const task = parse_description(shipped(name), name);
        CHECK(task.name == name);
        CHECK(parse_description(to_toml(task), name) == task);
    }
    auto const task = parse_description(everything, "test");
    CHECK(parse_description(to_toml(task), "test") == task);
    CHECK(task.integrator == Integrator::implicit);
    CHECK(task.keyframe == "home");
    CHECK(task.velocity_noise == VelocityNoise::uniform);
    CHECK(task.action_offset == std::vector{1.0, 2.5});
    CHECK(task.observation[0].offset == std::vector{5.0});
    CHECK(task.observation[1].geoms == std::vector<std::string>{"foot", "hand"});
    CHECK(task.reward[0].measure.point == std::vector{1.0, 2.0});
    CHECK(task.reward[0].weight == -2);
    CHECK(task.reward[1].measure.target_site == "goal");
    CHECK(task.end[0].upper == 3.0);
    CHECK(task.bc[0].bins == std::vector<std::int64_t>{2, 3, 4});
    CHECK(task.damage_words.shorten == std::vector<std::string>{"leg"});
}

TEST_CASE("a description with anything unknown or impossible is refused with its place")
{
    struct Case {
        char const* from;
        char const* to;
        char const* why;
    };
    for (auto const& c : {
             Case{"version = 1", "version = 2", "its version is 2, this program reads 1"},
             Case{"version = 1\n", "", "its version is missing"},
             Case{"frame_skip = 4", "frame_skip = 0", "frame_skip is not in"},
             Case{"frame_skip = 4", "frame_skip = 4.0", "line 4: frame_skip must be an integer"},
             Case{"frame_skip = 4", "frame_skip = 4\nspeed = 1", "line 5: unknown key speed"},
             Case{"source = \"com\"", "source = \"soul\"", "must be one of qpos, qvel"},
             Case{"source = \"com\"", "source = \"com\"\nbody = \"torso\"", "other names"},
             Case{"body = \"torso\"\nindex", "index", "[[reward]]: the source position"},
             Case{"point = [1, 2]\n", "", "needs point or target_site"},
             Case{"seconds = 0.1", "seconds = 0", "seconds is above 0"},
             Case{"upper = 3\n", "", "needs lower or upper"},
             Case{"scale = 70", "scale = 0", "scale is 0"},
             Case{"count = 3", "count = 3\nindex = [1]", "index excludes"},
             Case{"noise = 0", "noise = inf", "finite number"},
             Case{"bins = [2, 3, 4]", "bins = [2, 3]", "differ in length"},
             Case{"\"home\"", "\"ho\\u0007me\"", "control characters"},
             Case{"name = \"near\"\n", "", "[[reward]] name is missing"},
             Case{"[action]", "[action", "line"},
         }) {
        INFO(c.to);
        auto const text = changed(everything, c.from, c.to);
        auto const message = message_of<FileError>([&] { (void)parse_description(text, "x.h5"); });
        CHECK_THAT(message, ContainsSubstring("cannot use the domain description of x.h5"));
        CHECK_THAT(message, ContainsSubstring(c.why));
    }
}

TEST_CASE("a description of unreasonable size is refused")
{
    std::string numbers;
    for (int i = 0; i < 20'000; ++i) {
        numbers += "1, ";
    }
    auto const long_list = changed(everything, "[0, 2]", fmt::format("[{}]", numbers));
    CHECK_THROWS_AS(parse_description(long_list, "x"), FileError);
    CHECK_THROWS_AS(parse_description(std::string(2 << 20, ' '), "x"), FileError);
    CHECK_THROWS_AS(parse_description(std::string(100'000, '['), "x"), FileError);
}
