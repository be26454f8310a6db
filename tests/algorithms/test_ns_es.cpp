#include "algorithms/function_evaluator.hpp"
#include "catch.hpp"

#include <set>

using namespace mees;
using namespace mees::test;

TEST_CASE("the NS-ES family evolves one of five parents at a time, each with its own optimiser")
{
    auto problem = toy_problem("ns-es");
    problem.settings.algorithm.parent_choice = ParentChoice::round_robin;
    problem.settings.run.generations = 12;
    auto const state = final_state(problem);
    REQUIRE(state.emitters.size() == 5);
    CHECK(state.archive.size() == 5 + 12);
    CHECK(state.history.front().episodes == 5 * 3);
    CHECK(state.emitters[0].optimiser.steps == 3);
    CHECK(state.emitters[4].optimiser.steps == 2);
    std::set<float> starts;
    for (auto const& emitter : initial_state(problem).emitters) {
        starts.insert(emitter.theta[0]);
    }
    CHECK(starts.size() == 5);
}

// By hand: the archive has 0, 3 and 4 on a line, the first two of which are the parents' own. Their
// novelties are (3 + 4) / 2 and (3 + 1) / 2: the first is drawn with probability 3.5 / 5.5 = 0.636.
TEST_CASE("a parent is drawn in proportion to its novelty, without its own entry")
{
    auto problem = toy_problem("ns-es");
    problem.settings.algorithm.parents = 2;
    int first = 0;
    for (std::int64_t seed = 0; seed < 1000; ++seed) {
        problem.settings.run.seed = seed;
        auto state = initial_state(problem);
        state.evaluated = true;
        for (double const x : {0.0, 3.0, 4.0}) {
            state.archive.add(std::vector{x, 0.0});
        }
        for (std::size_t i = 0; i < 2; ++i) {
            state.emitters[i].bc = {3.0 * static_cast<double>(i), 0};
            state.emitters[i].archive_entry = static_cast<std::int64_t>(i);
        }
        auto const start = state.emitters[0].theta;
        auto const batch = resume(problem, std::move(state))->ask();
        REQUIRE(batch.groups.size() == 1);
        first += batch.groups[0].centre->parameters == start ? 1 : 0;
    }
    CHECK(first == Approx(636).margin(60));  // four standard deviations
}

TEST_CASE("NS-ES leaves where ES stays, NSR-ES is between")
{
    // Fitness is flat: only novelty moves anything.
    auto const flat = [](std::span<float const> theta, EpisodeSpec const&) {
        return Point{0.0, {theta[0], theta[1]}};
    };
    auto const spread = [&](char const* name) {
        auto problem = toy_problem(name);
        problem.settings.run.generations = 60;
        return final_state(problem, flat).map.filled();
    };
    CHECK(spread("es") <= 4);
    CHECK(spread("ns-es") > 6);
    CHECK(spread("nsr-es") > 4);
}

TEST_CASE("NSRA's weight increases when fitness improves and decreases after its patience")
{
    auto problem = toy_problem("nsra-es");
    problem.settings.algorithm.nsra_patience = 3;
    problem.settings.run.generations = 20;
    auto const flat = final_state(problem, [](std::span<float const> theta, EpisodeSpec const&) {
        return Point{-1.0, {theta[0], theta[1]}};
    });
    // Down 0.05 after 3, 6, 9, ... generations without a leap.
    CHECK(flat.history[2].weight == 0.5);
    CHECK(flat.history[3].weight == Approx(0.45));
    CHECK(flat.history[5].weight == Approx(0.45));
    CHECK(flat.history[6].weight == Approx(0.40));

    auto const rising =
        final_state(problem, [](std::span<float const> theta, EpisodeSpec const& spec) {
            auto const g = static_cast<double>(spec.group->generation.value());
            return Point{-std::pow(0.8, g), {theta[0], theta[1]}};
        });
    // Each generation beats the best by 20 % of its magnitude.
    CHECK(rising.history[1].weight == Approx(0.55));
    CHECK(rising.history[10].weight == Approx(1.0));
    CHECK(rising.history[20].weight == 1.0);
}
