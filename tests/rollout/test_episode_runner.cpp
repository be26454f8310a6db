#include "catch.hpp"
#include "rollout/fake_domain.hpp"

#include "mees/es/perturbation.hpp"

#include <array>

using namespace mees;
using namespace mees::test;

namespace {

AbortCheck const never = [] { return false; };

struct Ran {
    EpisodeOutcome outcome;
    std::array<double, 2> bc{};
};

Ran run(EpisodeRunner& runner, Batch const& batch, std::int64_t episode)
{
    Ran ran;
    ran.outcome = runner.run(episode_of(batch, episode), ran.bc, never).value();
    return ran;
}

}  // namespace

TEST_CASE("an episode is a loop of observe, normalise, act, add noise, step")
{
    auto const setup = fake_setup();
    auto const batch = fake_batch(4, 4096);
    std::int64_t const episode = 8;  // second pair's minus half: 5 evaluations, then 2 per pair
    auto const spec = episode_of(batch, episode);
    REQUIRE(spec.member == 3);
    std::vector<float> parameters(static_cast<std::size_t>(setup.network.parameter_count()));
    perturb(*spec.group, spec.member, fake_table(), parameters);
    ForwardPass forward{setup.network};
    forward.load(parameters);
    FakeTask task{FakeOptions{}};
    auto reset = spec.reset;
    auto noise = spec.action;
    task.reset(reset);
    std::array<double, 3> observation{};
    std::array<float, 3> inputs{};
    for (int step = 0; step < 20; ++step) {
        task.observe(observation);
        spec.group->centre->normaliser.apply(observation, inputs, 0);
        auto const out = forward(inputs);
        double const first = static_cast<double>(out[0]) + double{0.01F} * noise.normal();
        double const second = static_cast<double>(out[1]) + double{0.01F} * noise.normal();
        task.step(std::array{first, second});
    }
    std::array<double, 2> bc{};
    task.behaviour(bc);

    EpisodeRunner runner{setup, fake_table()};
    auto const ran = run(runner, batch, episode);
    CHECK(ran.outcome == EpisodeOutcome{task.fitness(), 20, EpisodeEnd::completed});
    CHECK(ran.bc == bc);
}

TEST_CASE("the links of a chain act one after the other, each with its normaliser")
{
    auto setup = fake_setup();  // 20 steps: links of 7, 7 and 6
    setup.chain_steps = 7;
    auto const first = fake_controller(4);
    auto second = *fake_controller(5);
    second.before = first;
    second.normaliser.mean[0] = -0.3;
    auto last = *fake_controller(6);
    last.before = std::make_shared<Controller const>(second);
    last.normaliser.std[2] = 5;
    auto batch = fake_batch(4, 4096);
    batch.groups[1].centre = std::make_shared<Controller const>(last);
    std::int64_t const episode = 8;  // as above: the minus half of a pair
    auto const spec = episode_of(batch, episode);
    std::vector<float> perturbed(static_cast<std::size_t>(setup.network.parameter_count()));
    perturb(*spec.group, spec.member, fake_table(), perturbed);
    FakeTask task{FakeOptions{}};
    auto reset = spec.reset;
    auto noise = spec.action;
    task.reset(reset);
    std::array<double, 3> observation{};
    std::array<float, 3> inputs{};
    for (int step = 0; step < 20; ++step) {
        // Only the last link is perturbed.
        auto const& link = step < 7 ? *first : step < 14 ? second : last;
        ForwardPass forward{setup.network};
        forward.load(step < 14 ? std::span<float const>{link.parameters.data(), perturbed.size()}
                               : std::span<float const>{perturbed});
        task.observe(observation);
        link.normaliser.apply(observation, inputs, 0);
        auto const out = forward(inputs);
        double const x = static_cast<double>(out[0]) + double{0.01F} * noise.normal();
        double const y = static_cast<double>(out[1]) + double{0.01F} * noise.normal();
        task.step(std::array{x, y});
    }
    std::array<double, 2> bc{};
    task.behaviour(bc);

    EpisodeRunner runner{setup, fake_table()};
    for (int time = 0; time < 2; ++time) {  // the second begins with the first link again
        auto const ran = run(runner, batch, episode);
        CHECK(ran.outcome == EpisodeOutcome{task.fitness(), 20, EpisodeEnd::completed});
        CHECK(ran.bc == bc);
    }
}

TEST_CASE("links that are never reached do not change an episode")
{
    auto setup = fake_setup();
    setup.chain_steps = 20;
    auto last = *fake_controller(6);
    last.before = fake_controller(1);
    Batch const chain{.seed = 3, .groups = {replay_group(std::make_shared<Controller>(last), 1)}};
    Batch const single{.seed = 3, .groups = {replay_group(fake_controller(1), 1)}};
    EpisodeRunner runner{setup, fake_table()};
    CHECK(run(runner, chain, 0).bc == run(runner, single, 0).bc);
}

TEST_CASE("an episode does not depend on earlier ones")
{
    auto const batch = fake_batch(6, 4096);
    EpisodeRunner fresh{fake_setup(), fake_table()};
    EpisodeRunner used{fake_setup(), fake_table()};
    for (std::int64_t i = batch.episodes() - 1; i > 4; --i) {
        (void)run(used, batch, i);
    }
    auto const first = run(fresh, batch, 4);
    auto const later = run(used, batch, 4);
    CHECK(first.outcome == later.outcome);
    CHECK(first.bc == later.bc);
}

TEST_CASE("an episode that ends at a fall is terminated")
{
    EpisodeRunner runner{fake_setup({.steps = 1000, .fall_radius = 4}), fake_table()};
    auto const ran = run(runner, fake_batch(2, 4096), 0);
    CHECK(ran.outcome.end == EpisodeEnd::terminated);
    CHECK(ran.outcome.steps < 1000);
    CHECK(std::hypot(ran.bc[0], ran.bc[1]) > 4);
}

TEST_CASE("fitness and BC stay finite when a number stops being finite, and the episode diverged")
{
    auto const batch = fake_batch(2, 4096);
    FakeOptions options{.steps = 1000};
    SECTION("the simulation")
    {
        options.diverge_radius = 4;
    }
    SECTION("the fitness")
    {
        options.bad_fitness_radius = 4;
    }
    SECTION("the behaviour")
    {
        options.steps = 10;
        options.bad_behaviour = true;
    }
    EpisodeRunner runner{fake_setup(options), fake_table()};
    auto const ran = run(runner, batch, 0);
    CHECK(ran.outcome.end == EpisodeEnd::diverged);
    CHECK(std::isfinite(ran.outcome.fitness));
    CHECK(std::isfinite(ran.bc[0]));
    CHECK(std::isfinite(ran.bc[1]));
}

TEST_CASE("a policy whose output is not finite ends its episode before the step")
{
    auto batch = fake_batch(2, 4096);
    auto broken = Controller{*batch.groups[0].centre};
    broken.parameters = Eigen::VectorXf::Constant(broken.parameters.size(),
                                                  std::numeric_limits<float>::quiet_NaN());
    batch.groups[0].centre = std::make_shared<Controller>(broken);
    EpisodeRunner runner{fake_setup({.initial_fitness = -60}), fake_table()};
    auto const ran = run(runner, batch, 0);
    CHECK(ran.outcome == EpisodeOutcome{-60, 0, EpisodeEnd::diverged});
}

TEST_CASE("all observations of an episode are recorded if its specification asks for it")
{
    auto batch = fake_batch(50, 4096);
    std::int64_t recorded = 0;
    EpisodeRunner runner{fake_setup(), fake_table()};
    for (std::int64_t i = 0; i < batch.episodes(); ++i) {
        auto const spec = episode_of(batch, i);
        (void)run(runner, batch, i);
        CHECK(runner.observations().count == (spec.records_observations ? 20 : 0));
        recorded += spec.records_observations ? 1 : 0;
    }
    // 200 training episodes at 20 %: 40 +- 5.7; evaluation episodes record nothing here.
    CHECK(recorded > 17);
    CHECK(recorded < 63);
}

TEST_CASE("an episode can be dropped between any two control steps")
{
    EpisodeRunner runner{fake_setup({.steps = 1'000'000}), fake_table()};
    int asked = 0;
    std::array<double, 2> bc{};
    auto const batch = fake_batch(2, 4096);
    CHECK_FALSE(runner.run(episode_of(batch, 0), bc, [&] { return ++asked > 3; }));
    CHECK(asked == 4);
}

TEST_CASE("a group's variant selects the domain")
{
    auto setup = fake_setup({.steps = 20});
    setup.domains.push_back(
        std::make_shared<FakeDomain>(FakeOptions{.steps = 20, .fall_radius = 0}));
    auto batch = fake_batch(2, 4096);
    EpisodeRunner runner{setup, fake_table()};
    CHECK(run(runner, batch, 0).outcome.steps == 20);
    batch.groups[0].variant = 1;
    CHECK(run(runner, batch, 0).outcome.steps == 1);
    batch.groups[0].variant = 2;
    CHECK_THROWS_AS(run(runner, batch, 0), ContractViolation);
}

TEST_CASE("time is divided between physics and policy")
{
    EpisodeRunner runner{fake_setup({.steps = 4, .step_time = std::chrono::microseconds{5000}}),
                         fake_table()};
    (void)run(runner, fake_batch(2, 4096), 0);
    CHECK(runner.timing().physics > 0.019);
    CHECK(runner.timing().policy < runner.timing().physics);
    CHECK(runner.timing().steps == 4);
    CHECK(runner.timing().episodes == 1);
}
