#include "algorithms/function_evaluator.hpp"
#include "catch.hpp"

#include <algorithm>
#include <set>

using namespace mees;
using namespace mees::test;

namespace {

SearchProblem problem_of(char const* name)
{
    auto problem = toy_problem();
    problem.settings.algorithm.name = name;
    return problem;
}

double best_of(State const& state)
{
    return state.map.find(*best_cell(state.map))->fitness;
}

}  // namespace

TEST_CASE("ES climbs a sphere")
{
    auto problem = problem_of("es");
    problem.settings.run.generations = 60;
    auto const state = final_state(problem);
    // From -8 (all zeros) to the top within the noise that sigma leaves.
    CHECK(state.history.front().fitness < -7.5);
    CHECK(state.history.back().fitness > -0.05);
}

TEST_CASE("ME-ES exploit climbs, explore spreads, explore-exploit does both")
{
    auto problem = problem_of("me-es");
    problem.settings.run.generations = 80;
    auto const with_mode = [&](char const* mode) {
        problem.settings.algorithm.mode = mode;
        return final_state(problem);
    };
    auto const exploit = with_mode("exploit");
    auto const explore = with_mode("explore");
    auto const both = with_mode("explore-exploit");
    CHECK(best_of(exploit) > -0.1);
    CHECK(explore.map.filled() > exploit.map.filled());
    CHECK(both.map.filled() > exploit.map.filled());
    CHECK(best_of(both) > -1.0);
    CHECK(best_of(both) > best_of(explore));
    for (auto const& row : exploit.history) {
        CHECK((row.generation.value() == 0 || row.mode == Mode::exploit));
    }
}

TEST_CASE("ME-ES alternates whole cycles, beginning with exploit, and copies a cell for each")
{
    auto const state = final_state(problem_of("me-es"));
    for (std::size_t g = 1; g < state.history.size(); ++g) {
        auto const cycle = (g - 1) / 4;
        CHECK(state.history[g].mode == (cycle % 2 == 0 ? Mode::exploit : Mode::explore));
        REQUIRE(state.history[g].parent_cell.has_value());
        if ((g - 1) % 4 != 0) {
            CHECK(state.history[g].parent_cell == state.history[g - 1].parent_cell);
        }
    }
}

TEST_CASE("the coin schedule tosses for every cycle")
{
    auto problem = problem_of("me-es");
    problem.settings.algorithm.mode_schedule = "coin";
    problem.settings.algorithm.n_optim_gens = 1;
    problem.settings.run.generations = 400;
    problem.settings.es.population = 2;
    auto const state = final_state(problem);
    auto const explored = std::ranges::count(state.history, Mode::explore, &GenerationRecord::mode);
    // Binomial(400, 0.5): 200 +- 5 x 10.
    CHECK(std::abs(explored - 200) < 50);
}

TEST_CASE("options of other algorithms change nothing")
{
    auto const base = problem_of("me-es");
    auto problem = base;
    problem.settings.algorithm.children = 7;
    problem.settings.algorithm.parents = 3;
    problem.settings.algorithm.emitters = 2;
    problem.settings.algorithm.nsra_step = 0.3;
    problem.settings.algorithm.line_sigma = 9;
    CHECK(fingerprint(final_state(problem)) == fingerprint(final_state(base)));
}

TEST_CASE("dividing by sigma with Adam matters only through L2")
{
    auto problem = problem_of("es");
    auto const plain = final_state(problem);
    problem.settings.es.divide_by_sigma = true;
    auto const divided = final_state(problem);
    CHECK(divided.history.back().fitness == Approx(plain.history.back().fitness).epsilon(1e-2));
}

TEST_CASE("ME-GA offers every child, keeps no archive, and covers more than ME-ES")
{
    auto problem = problem_of("me-ga");
    problem.settings.algorithm.children = 14;
    problem.settings.es.sigma = 0.3;
    auto const state = final_state(problem);
    CHECK(state.archive.size() == 0);
    CHECK(state.history.back().episodes == 3 + 30 * 14 * 3);
    CHECK(state.map.filled() > final_state(problem_of("me-es")).map.filled());
    std::int64_t inserted = 0;
    for (auto const& row : state.history) {
        inserted += row.inserted;
    }
    CHECK(inserted == state.map.insertions());
    for (auto const& [cell, elite] : state.map.elites()) {
        CHECK(elite.novelty == 0);
    }
}

TEST_CASE("ME-GA's elites have the parameters that were evaluated")
{
    auto problem = problem_of("me-ga");
    problem.settings.algorithm.children = 10;
    for (auto const* variation : {"gaussian", "iso-line"}) {
        for (auto const* cells : {"per-generation", "per-child"}) {
            problem.settings.algorithm.variation = variation;
            problem.settings.algorithm.parent_cells = cells;
            auto const state = final_state(problem);
            for (auto const& [cell, elite] : state.map.elites()) {
                CHECK(elite.bc[0] == Approx(elite.controller->parameters[0]).epsilon(1e-12));
                CHECK(elite.bc[1] == Approx(elite.controller->parameters[1]).epsilon(1e-12));
            }
        }
    }
}

TEST_CASE("the NS-ES family evolves one of five parents at a time, each with its own optimiser")
{
    auto problem = problem_of("ns-es");
    problem.settings.algorithm.parent_choice = "round-robin";
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

TEST_CASE("NS-ES leaves where ES stays, NSR-ES is between")
{
    // Fitness is flat: only novelty moves anything.
    auto const flat = [](std::span<float const> theta, EpisodeSpec const&) {
        return Point{0.0, {theta[0], theta[1]}};
    };
    auto const spread = [&](char const* name) {
        auto problem = problem_of(name);
        problem.settings.run.generations = 60;
        return final_state(problem, flat).map.filled();
    };
    CHECK(spread("es") <= 4);
    CHECK(spread("ns-es") > 6);
    CHECK(spread("nsr-es") > 4);
}

TEST_CASE("NSRA's weight rises by leaps of fitness and falls with patience")
{
    auto problem = problem_of("nsra-es");
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

TEST_CASE("several objectives make a candidate each, and the best as the mode says is carried on")
{
    auto problem = problem_of("me-es");
    problem.settings.algorithm.objectives = {"fitness", "novelty"};
    problem.settings.algorithm.mode = "exploit";
    auto const state = final_state(problem);
    CHECK(state.emitters.size() == 1);
    CHECK(state.archive.size() == 1 + 2 * 30);
    CHECK(state.history.back().episodes == 3 + 30 * (40 + 2 * 3));
    CHECK(best_of(state) > -2);

    problem.settings.algorithm.objectives = {"evolvability"};
    CHECK(final_state(problem).archive.size() == 31);
}

TEST_CASE("MEMES steps every emitter each generation and restarts the barren ones")
{
    auto problem = problem_of("memes");
    problem.settings.algorithm.emitters = 4;
    problem.settings.algorithm.explore_share = 0.5;
    problem.settings.algorithm.emitter_patience = 2;
    auto const state = final_state(problem);
    REQUIRE(state.emitters.size() == 4);
    CHECK(state.history.back().episodes == 3 + 30 * 4 * (40 + 3));
    CHECK(state.archive.size() == 1 + 30 * 4);
    CHECK(state.emitters[0].mode == Mode::explore);
    CHECK(state.emitters[3].mode == Mode::exploit);
    bool const restarted = std::ranges::any_of(
        state.emitters, [](Emitter const& emitter) { return emitter.optimiser.steps < 30; });
    CHECK(restarted);
    CHECK(best_of(state) > -1);
}
