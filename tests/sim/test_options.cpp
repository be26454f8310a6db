#include "mees/core/error.hpp"
#include "physics.hpp"

#include <algorithm>
#include <cmath>

using namespace mees;
using namespace mees::test;

TEST_CASE("contact_forces appends the 84 clipped forces to the 27 inputs", "[options]")
{
    auto settings = settings_for("ant");
    settings.contact_forces = true;
    World world{settings};
    REQUIRE(world.spec().observation_size == 111);
    auto stream = stream_of(1);
    world.task->reset(stream);
    for (int step = 0; step < 30; ++step) {
        world.task->step(world.actions(0.2));
    }
    std::vector<double> observation(111);
    world.task->observe(observation);
    CHECK(observation[0] == world.physics.qpos()[2]);
    CHECK(observation[26] == world.physics.qvel()[13]);
    int nonzero = 0;
    for (std::size_t i = 0; i < 84; ++i) {
        double const force = world.data().cfrc_ext[i];
        CHECK(observation[27 + i] == std::clamp(force, -1.0, 1.0));
        nonzero += force != 0 ? 1 : 0;
    }
    CHECK(nonzero > 0);
}

TEST_CASE("without contact_costs, contact forces count as 0 in reward and inputs", "[options]")
{
    struct Case {
        char const* name;
        std::size_t term, first_input;
    };
    // MuJoCo 2.0 leaves cfrc_ext at 0. Inputs: 84 at the end of 111 and of 376.
    for (auto const& c : {Case{"ant", 2, 27}, Case{"deceptive_humanoid", 2, 292}}) {
        auto settings = settings_for(c.name);
        settings.contact_forces = true;
        settings.terminate = false;
        World with{settings};
        settings.contact_costs = false;
        World without{settings};
        REQUIRE(with.spec().observation_size == without.spec().observation_size);
        std::vector<double> a(static_cast<std::size_t>(with.spec().observation_size));
        auto b = a;
        double cost = 0;
        double inputs = 0;
        for (auto* world : {&with, &without}) {
            auto stream = stream_of(1);
            world->task->reset(stream);
        }
        for (int step = 0; step < 60; ++step) {
            with.task->step(with.actions(0.2));
            without.task->step(without.actions(0.2));
            with.task->observe(a);
            without.task->observe(b);
            auto const full = with.physics.terms();
            auto const bare = without.physics.terms();
            for (std::size_t i = 0; i < full.size(); ++i) {
                CHECK(bare[i] == (i == c.term ? 0 : full[i]));
            }
            for (std::size_t i = 0; i < a.size(); ++i) {
                CHECK(b[i] == (i >= c.first_input ? 0 : a[i]));
            }
            cost += full[c.term];
            for (std::size_t i = c.first_input; i < a.size(); ++i) {
                inputs += std::abs(a[i]);
            }
        }
        INFO(c.name);
        CHECK(cost < 0);
        CHECK(inputs > 0);
    }
}

TEST_CASE("episode_steps replaces the domain's default", "[options]")
{
    for (auto const* name : {"ant", "ant_maze", "deceptive_humanoid", "point_maze", "sleep"}) {
        auto settings = settings_for(name);
        settings.episode_steps = 123;
        CHECK(make_domain(settings)->spec().episode_steps == 123);
    }
}

TEST_CASE("integrator replaces the model's", "[options]")
{
    auto settings = settings_for("ant");
    CHECK(World{settings}.model().opt.integrator == mjINT_RK4);
    settings.integrator = Integrator::euler;
    CHECK(World{settings}.model().opt.integrator == mjINT_EULER);
    settings.name = "point_maze";
    settings.integrator = Integrator::rk4;
    CHECK(World{settings}.model().opt.integrator == mjINT_RK4);
    settings.integrator = Integrator::model;
    CHECK(World{settings}.model().opt.integrator == mjINT_EULER);
    settings.integrator = Integrator::implicitfast;
#if mjVERSION_HEADER >= 233
    CHECK(World{settings}.model().opt.integrator == mjINT_IMPLICITFAST);
#else
    CHECK_THROWS_AS(make_domain(settings), ConfigError);
#endif
}

TEST_CASE("a fall ends the episode unless terminate is off", "[options]")
{
    struct Case {
        char const* name;
        double low, standing, high;
    };
    for (auto const& c :
         {Case{"ant", 0.19, 0.5, 1.02}, Case{"deceptive_humanoid", 0.9, 1.3, 2.1}}) {
        for (bool const terminate : {true, false}) {
            INFO(c.name << (terminate ? " ends" : " continues"));
            auto settings = settings_for(c.name);
            settings.terminate = terminate;
            World world{settings};
            for (double const height : {c.low, c.standing, c.high}) {
                auto qpos = world.rest_qpos();
                qpos[2] = height;
                world.physics.place(qpos, world.rest_qvel());
                CHECK(world.task->terminated() == (terminate && height != c.standing));
            }
        }
    }
}

TEST_CASE("an unknown domain is refused", "[options]")
{
    CHECK_THROWS_AS(make_domain(settings_for("spider")), ConfigError);
}
