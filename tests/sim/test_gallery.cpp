#include "physics.hpp"

#include "mees/config/config.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

using namespace mees;
using namespace mees::test;

namespace {

DomainSettings preset(std::string const& name)
{
    auto settings =
        read_settings(fmt::format("{}/configs/{}_small.toml", MEES_SOURCE_DIR, name), {}, {})
            .domain;
    settings.mjcf.reset_noise = 0;
    return settings;
}

/// x of the trunk after five seconds of a scripted gait: legs of one group swing while those of the
/// other stand.
double walk(World& world, double frequency, auto const& action_of)
{
    auto stream = stream_of(1);
    world.task->reset(stream);
    auto action = world.actions();
    for (int step = 0; step < 250; ++step) {
        double const phase = 2 * std::numbers::pi * frequency * 0.02 * step;
        action_of(phase, action);
        world.task->step(action);
        REQUIRE_FALSE(world.task->diverged());
        REQUIRE_FALSE(world.task->terminated());
    }
    return world.physics.qpos()[0];
}

}  // namespace

TEST_CASE("robots of the gallery stand in their home pose", "[gallery]")
{
    for (auto const* name : {"quadruped", "hexapod"}) {
        INFO(name);
        World world{preset(name)};
        auto stream = stream_of(1);
        world.task->reset(stream);
        double const height = world.physics.qpos()[2];
        for (int step = 0; step < 100; ++step) {
            world.task->step(world.actions());
        }
        CHECK_FALSE(world.task->terminated());
        CHECK(world.physics.qpos()[2] > 0.75 * height);
        CHECK(world.data().xmat[9 + 8] > 0.95);
        // All ranges are reached by the mapping, all joints start within their limits.
        CHECK(world.spec().notes.size() == 1);
    }
}

TEST_CASE("the hexapod walks with alternating tripods", "[gallery]")
{
    World world{preset("hexapod")};
    double const x = walk(world, 2, [](double phase, std::vector<double>& action) {
        for (std::size_t leg = 0; leg < 6; ++leg) {
            double const shifted = phase + (leg % 2 == 0 ? 0 : std::numbers::pi);
            double const side = leg < 3 ? 1 : -1;
            action[3 * leg] = -side * 0.8 * std::sin(shifted);
            action[3 * leg + 1] = -0.7 * std::max(std::cos(shifted), 0.0);
        }
    });
    CHECK(x > 0.5);
}
