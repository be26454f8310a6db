#include "mees/core/error.hpp"
#include "physics.hpp"

#include <cmath>
#include <limits>

using namespace mees;
using namespace mees::test;

namespace {

bool all_finite(std::vector<double> const& values)
{
    return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

}  // namespace

TEST_CASE("a diverged simulation keeps the fitness and BC from before", "[divergence]")
{
    for (auto const* name : {"ant", "ant_maze", "deceptive_humanoid", "point_maze"}) {
        INFO(name);
        World world{settings_for(name)};
        auto stream = stream_of(1);
        world.task->reset(stream);
        for (int step = 0; step < 10; ++step) {
            world.task->step(world.actions(0.1));
        }
        auto const fitness = world.task->fitness();
        auto const bc = world.bc();
        for (double const velocity : {std::numeric_limits<double>::quiet_NaN(), 1e12}) {
            auto again = stream_of(1);
            world.task->reset(again);
            for (int step = 0; step < 10; ++step) {
                world.task->step(world.actions(0.1));
            }
            world.data().qvel[0] = velocity;
            world.task->step(world.actions(0.1));
            CHECK(world.task->diverged());
            CHECK(world.task->fitness() == fitness);
            CHECK(world.bc() == bc);
            CHECK(world.task->reward() == 0);
        }
    }
}

TEST_CASE("an action of NaN diverges, and does not affect the next episode", "[divergence]")
{
    for (auto const* name : {"ant", "ant_maze", "deceptive_humanoid", "point_maze"}) {
        INFO(name);
        World world{settings_for(name)};
        World fresh{settings_for(name)};
        auto stream = stream_of(2);
        world.task->reset(stream);
        world.task->step(world.actions(std::numeric_limits<double>::quiet_NaN()));
        CHECK(world.task->diverged());
        CHECK(std::isfinite(world.task->fitness()));
        CHECK(all_finite(world.bc()));

        auto one = stream_of(3);
        auto two = stream_of(3);
        world.task->reset(one);
        fresh.task->reset(two);
        CHECK_FALSE(world.task->diverged());
        for (int step = 0; step < 20; ++step) {
            world.task->step(world.actions(0.3));
            fresh.task->step(fresh.actions(0.3));
        }
        CHECK(world.task->fitness() == fresh.task->fitness());
        CHECK(world.bc() == fresh.bc());
    }
}

TEST_CASE("a maze episode that diverges in its first step has the fitness of its start",
          "[divergence]")
{
    World world{settings_for("ant_maze")};
    world.physics.place(world.rest_qpos(), world.rest_qvel());
    world.task->step(world.actions(std::numeric_limits<double>::quiet_NaN()));
    CHECK(world.task->diverged());
    CHECK(world.task->fitness() == Approx(-60));
}

TEST_CASE("an error of the engine is an exception, not the end of the process", "[divergence]")
{
    World world{settings_for("point_maze")};
    auto* const data = &world.data();
    auto const allocate_too_much = [](auto* d) {
        if constexpr (requires { mj_stackAllocNum(d, 1); }) {
            mj_stackAllocNum(d, 1'000'000'000);
        } else {
            mj_stackAlloc(d, 1'000'000'000);
        }
    };
    CHECK_THROWS_AS(allocate_too_much(data), SimulationError);
}
