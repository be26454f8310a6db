#include "catch.hpp"
#include "mees/core/error.hpp"
#include "mees/rollout/replayer.hpp"
#include "mees/rollout/threads.hpp"
#include "mees/sim/registry.hpp"

#include <numeric>

using namespace mees;

namespace {

RolloutSetup ant_setup()
{
    DomainSettings settings;
    settings.name = "ant";
    settings.episode_steps = 40;
    return {{DomainRegistry{}.make(settings)}, NetworkShape{{27, 4, 8}}, 0};
}

ControllerPtr some_controller(NetworkShape const& shape)
{
    return std::make_shared<Controller const>(
        Controller{xavier_parameters(shape, Stream{3, Purpose::test, Generation{0}}),
                   Normaliser::identity(shape.inputs())});
}

}  // namespace

TEST_CASE("a replay gives the same results as an evaluation of the same group")
{
    auto const setup = ant_setup();
    auto const controller = some_controller(setup.network);
    Replayer const replayer{setup, controller, 7};
    auto const episodes = replayer.run(3, 2);

    ThreadEvaluator evaluator{setup, {}, 1};
    StopToken stop;
    auto const result =
        evaluator.evaluate({.seed = 7, .groups = {replay_group(controller, 3)}}, stop);
    REQUIRE(result);
    for (std::int64_t i = 0; i < 3; ++i) {
        auto const& episode = episodes[static_cast<std::size_t>(i)];
        CHECK(episode.outcome == result->outcomes[static_cast<std::size_t>(i)]);
        auto const bc = result->bc(i);
        CHECK(episode.bc == std::vector<double>(bc.begin(), bc.end()));
        CHECK(std::accumulate(episode.terms.begin(), episode.terms.end(), 0.0)
              == Approx(episode.outcome.fitness).epsilon(1e-9));
    }
    CHECK(episodes[0].outcome.fitness != episodes[1].outcome.fitness);
}

TEST_CASE("a recorded episode is identical to the replayed one")
{
    auto const setup = ant_setup();
    Replayer const replayer{setup, some_controller(setup.network), 7};
    auto const recorded = replayer.record(1);
    auto const again = replayer.run(2, 1)[1];
    auto const& recording = recorded.recording;
    CHECK(recorded.episode.outcome == again.outcome);
    CHECK(recording.steps == again.outcome.steps);
    CHECK(recorded.fitness.back() == again.outcome.fitness);
    CHECK(std::accumulate(recording.reward.begin(), recording.reward.end(), 0.0)
          == Approx(again.outcome.fitness).epsilon(1e-9));
    CHECK(std::ssize(recording.qpos) == 15 * recording.steps);
    CHECK(std::vector<double>(recording.bc.end() - 4, recording.bc.end()) == again.bc);
}

TEST_CASE("a domain without physics cannot be recorded")
{
    DomainSettings settings;
    settings.name = "sleep";
    settings.sleep_seconds = 1e-6;
    auto const domain = DomainRegistry{}.make(settings);
    NetworkShape const network{{domain->spec().observation_size, domain->spec().action_size}};
    Replayer const replayer{{{domain}, network, 0}, some_controller(network), 1};
    CHECK_THROWS_AS(replayer.record(0), ConfigError);
    CHECK(replayer.run(2, 1).size() == 2);
}
