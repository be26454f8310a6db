#include "catch.hpp"
#include "navigation/repertoires.hpp"

#include "mees/core/error.hpp"
#include "mees/navigation/navigation_run.hpp"
#include "mees/sim/registry.hpp"

#include <cmath>

using namespace mees;

namespace {

DomainPtr resting_ant()
{
    DomainSettings settings;
    settings.name = "mjcf";
    settings.episode_steps = 5;
    settings.mjcf.model = MEES_SOURCE_DIR "/configs/models/servo_ant.xml";
    settings.mjcf.start = "rest";
    settings.mjcf.bc = BehaviourKind::displacement;
    settings.mjcf.reward = {{.kind = RewardKind::alive}};
    return DomainRegistry{}.make(settings);
}

/// Controllers with random weights, whose predictions are wrong.
RepertoirePtr random_controllers(Domain const& robot)
{
    auto repertoire = *repertoire_of_steps({{0.2, 0}, {0, 0.2}, {-0.2, 0}, {0, -0.2}});
    auto const& spec = robot.spec();
    repertoire.network = NetworkShape{{spec.observation_size, spec.action_size}};
    for (std::int64_t i = 0; i < 4; ++i) {
        repertoire.controllers.push_back(std::make_shared<Controller const>(Controller{
            xavier_parameters(repertoire.network, Stream{5, Purpose::test, Generation{0}, i}),
            Normaliser::identity(spec.observation_size)}));
    }
    return std::make_shared<Repertoire const>(std::move(repertoire));
}

NavigationSettings quick(bool learning = true)
{
    NavigationSettings settings;
    settings.planner.iterations = 10;
    settings.planner.trees = 1;
    settings.planner.depth = 3;
    settings.max_actions = 3;
    settings.rest_seconds = 0.2;
    settings.learning = learning;
    return settings;
}

Course course(std::vector<GroundPoint> targets)
{
    return {{}, std::move(targets)};
}

std::vector<NavigationStep> walk(Navigator& navigator, std::int64_t seed)
{
    navigator.reset(stream_of({"J0", seed, 0}, 3));
    while (!navigator.finished()) {
        navigator.act([] {});
    }
    return navigator.steps();
}

}  // namespace

TEST_CASE("a walk depends on its stream only, and continues where it is", "[navigation]")
{
    auto const robot = resting_ant();
    auto const actions = random_controllers(*robot);
    Navigator navigator{*robot, actions, course({{4, 4}, {-4, 0}}), quick()};
    auto const steps = walk(navigator, 0);
    // No target is that close: three actions each.
    REQUIRE(steps.size() == 6);
    CHECK(steps[2].target == 0);
    CHECK(steps[3].target == 1);
    for (std::size_t i = 1; i < steps.size(); ++i) {
        // Actions of a quarter of a second are short, from wherever the last one ended.
        CHECK(
            std::hypot(steps[i].pose.x - steps[i - 1].pose.x, steps[i].pose.y - steps[i - 1].pose.y)
            < 1);
        CHECK_FALSE(steps[i].collision);
    }
    CHECK(walk(navigator, 1) != steps);
    CHECK(walk(navigator, 0) == steps);
    Navigator another{*robot, actions, course({{4, 4}, {-4, 0}}), quick(false)};
    CHECK(walk(another, 0) != steps);
    auto const results = results_of(steps, course({{4, 4}, {-4, 0}}));
    CHECK(results == std::vector<TargetResult>{{3, false, 0}, {3, false, 0}});
}

TEST_CASE("targets where the robot is need no action", "[navigation]")
{
    auto const robot = resting_ant();
    auto const actions = random_controllers(*robot);
    auto const here = course({{0.1, 0}, {0, -0.1}});
    Navigator navigator{*robot, actions, here, quick()};
    CHECK(walk(navigator, 0).empty());
    CHECK(results_of({}, here) == std::vector<TargetResult>{{0, true, 0}, {0, true, 0}});
}

TEST_CASE("a walk as an episode", "[navigation]")
{
    auto const robot = resting_ant();
    auto const actions = random_controllers(*robot);
    NavigationDomain const domain{robot, actions, course({{4, 4}, {0, 0}}), quick()};
    CHECK(domain.spec().episode_steps == 6);
    auto const task = domain.make_task();
    auto stream = stream_of({"J0", 2, 0}, 3);
    task->reset(stream);
    int made = 0;
    std::vector<double> const ignored{0.5};
    while (!task->terminated()) {
        task->step(ignored);
        ++made;
    }
    std::vector<double> bc(domain.spec().bc_names.size());
    task->behaviour(bc);
    auto const steps = steps_of(bc);
    CHECK(static_cast<int>(steps.size()) == made);
    CHECK(task->fitness() == -made);
    auto const navigator = domain.make_navigator();
    CHECK(walk(*navigator, 2) == steps);

    task->reset(stream);
    std::function<bool()> const dropped = [] { return true; };
    task->watch(dropped);
    CHECK_THROWS_AS(task->step(ignored), EpisodeDropped);
}
