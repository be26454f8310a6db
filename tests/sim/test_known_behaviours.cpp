#include "physics.hpp"

using namespace mees;
using namespace mees::test;

// Origin of the fitness values: the paper's domains as described by its authors.

TEST_CASE("an ant that stands still for 1000 steps has a fitness of about 1000", "[behaviour]")
{
    World world{settings_for("ant")};
    auto qpos = world.rest_qpos();
    for (int i = 0; i < 4; ++i) {
        qpos[static_cast<std::size_t>(8 + 2 * i)] = i == 0 || i == 3 ? 1.0 : -1.0;
    }
    qpos[2] = 0.6;
    world.physics.place(qpos, world.rest_qvel());
    for (int step = 0; step < 1000; ++step) {
        world.task->step(world.actions());
        REQUIRE_FALSE(world.task->terminated());
    }
    CHECK(world.task->fitness() == Approx(1000).epsilon(0.05));
    for (double const share : world.bc()) {
        CHECK(share > 0.95);
    }
}

TEST_CASE("the ant maze's trap has a fitness of about -27", "[behaviour]")
{
    World world{settings_for("ant_maze")};
    auto qpos = world.rest_qpos();
    qpos[0] = 8.5;
    world.physics.place(qpos, world.rest_qvel());
    for (int step = 0; step < 100; ++step) {
        world.task->step(world.actions());
    }
    CHECK(world.task->fitness() == Approx(-26.5).margin(0.6));
    CHECK(world.bc()[0] == Approx(8.5).margin(0.5));
    CHECK(world.bc()[1] == Approx(-25).margin(0.5));

    qpos[0] = 35;
    world.physics.place(qpos, world.rest_qvel());
    world.task->step(world.actions());
    CHECK(world.task->fitness() == Approx(0).margin(0.1));
}

TEST_CASE("no wall of the ant maze can be crossed", "[behaviour]")
{
    struct Push {
        double x, y, vx, vy;
    };
    // Towards each wall, from 1.5 m away.
    for (auto const& push :
         {Push{38.2, 5, 6, 0}, Push{-28.2, 5, -6, 0}, Push{5, 38.2, 0, 6}, Push{5, -28.2, 0, -6},
          Push{-16.8, 20, 6, 0}, Push{-3, -16.8, 0, 6}, Push{8.2, -10, 6, 0}}) {
        INFO("from " << push.x << ", " << push.y);
        World world{settings_for("ant_maze")};
        auto qpos = world.rest_qpos();
        auto qvel = world.rest_qvel();
        qpos[0] = push.x;
        qpos[1] = push.y;
        qvel[0] = push.vx;
        qvel[1] = push.vy;
        world.physics.place(qpos, qvel);
        double farthest = 0;
        for (int step = 0; step < 80; ++step) {
            world.data().qvel[0] = push.vx;
            world.data().qvel[1] = push.vy;
            world.task->step(world.actions());
            farthest = std::max({farthest, std::abs(world.physics.qpos()[0] - push.x),
                                 std::abs(world.physics.qpos()[1] - push.y)});
        }
        CHECK(farthest < 1.8);
    }
}

TEST_CASE("a humanoid that falls at the trap after 170 steps has a fitness of about 3000",
          "[behaviour]")
{
    World world{settings_for("deceptive_humanoid")};
    constexpr int steps = 170;
    constexpr double wall = 5.2;
    auto const qpos = world.rest_qpos();
    world.physics.place(qpos, world.rest_qvel());
    auto& data = world.data();
    for (int step = 0; step < steps; ++step) {
        REQUIRE_FALSE(world.task->terminated());
        std::copy(qpos.begin(), qpos.end(), data.qpos);
        std::fill(data.qvel, data.qvel + world.model().nv, 0.0);
        data.qpos[0] = wall * (step + 1) / steps;
        world.task->step(world.actions());
    }
    data.qpos[2] = 0.95;
    CHECK(world.task->terminated());
    CHECK(world.task->fitness() == Approx(3000).epsilon(0.05));
    CHECK(world.bc()[0] == Approx(wall).margin(0.1));
    CHECK(world.bc()[1] == Approx(0).margin(0.05));
}

TEST_CASE("the point maze's trap stops a straight path; the goal is behind it", "[behaviour]")
{
    World world{settings_for("point_maze")};
    auto const drive = [&](double x, double y, int steps) {
        for (int step = 0; step < steps; ++step) {
            world.task->step(std::vector<double>{x, y});
        }
    };
    world.physics.place(world.rest_qpos(), world.rest_qvel());
    drive(1, 0, 200);
    CHECK(world.bc()[0] == Approx(-0.45).margin(0.1));
    CHECK(world.task->fitness() == Approx(-4.95).margin(0.1));

    world.physics.place(world.rest_qpos(), world.rest_qvel());
    drive(0, 1, 60);
    drive(1, 0, 90);
    drive(0.2, -0.74, 50);
    CHECK(world.task->fitness() > -2.5);
}
