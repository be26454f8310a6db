#include "algorithms/function_evaluator.hpp"
#include "catch.hpp"

#include <algorithm>

using namespace mees;
using namespace mees::test;

TEST_CASE("ME-ES: exploit improves fitness, explore spreads, explore-exploit does both")
{
    auto problem = toy_problem("me-es");
    problem.settings.run.generations = 80;
    auto const with_mode = [&](SearchMode mode) {
        problem.settings.algorithm.mode = mode;
        return final_state(problem);
    };
    auto const exploit = with_mode(SearchMode::exploit);
    auto const explore = with_mode(SearchMode::explore);
    auto const both = with_mode(SearchMode::explore_exploit);
    CHECK(best_of(exploit) > -0.1);
    CHECK(explore.map.filled() > exploit.map.filled());
    CHECK(both.map.filled() > exploit.map.filled());
    CHECK(best_of(both) > -1.0);
    CHECK(best_of(both) > best_of(explore));
    for (auto const& row : exploit.history) {
        CHECK((row.generation.value() == 0 || row.mode == Mode::exploit));
    }
}

TEST_CASE("ME-ES alternates complete cycles, starting with exploit, and copies a cell for each")
{
    auto const state = final_state(toy_problem("me-es"));
    for (std::size_t g = 1; g < state.history.size(); ++g) {
        auto const cycle = (g - 1) / 4;
        CHECK(state.history[g].mode == (cycle % 2 == 0 ? Mode::exploit : Mode::explore));
        REQUIRE(state.history[g].parent_cell.has_value());
        if ((g - 1) % 4 != 0) {
            CHECK(state.history[g].parent_cell == state.history[g - 1].parent_cell);
        }
    }
}

TEST_CASE("the coin schedule draws the mode of every cycle")
{
    auto problem = toy_problem("me-es");
    problem.settings.algorithm.mode_schedule = ModeSchedule::coin;
    problem.settings.algorithm.n_optim_gens = 1;
    problem.settings.run.generations = 400;
    problem.settings.es.population = 2;
    auto const state = final_state(problem);
    auto const explored = std::ranges::count(state.history, Mode::explore, &GenerationRecord::mode);
    // Binomial(400, 0.5): 200 +- 5 x 10.
    CHECK(std::abs(explored - 200) < 50);
}

TEST_CASE("each of several objectives makes a candidate, and the best by the mode continues")
{
    auto problem = toy_problem("me-es");
    problem.settings.algorithm.objectives = {Objective::only_fitness(), Objective::only_novelty()};
    problem.settings.algorithm.mode = SearchMode::exploit;
    auto const state = final_state(problem);
    CHECK(state.emitters.size() == 1);
    CHECK(state.archive.size() == 1 + 2 * 30);
    CHECK(state.history.back().episodes == 3 + 30 * (40 + 2 * 3));
    CHECK(best_of(state) > -2);

    problem.settings.algorithm.objectives = {{.evolvability = 1}};
    CHECK(final_state(problem).archive.size() == 31);
}

TEST_CASE("candidates are the same whatever the order of the objectives")
{
    auto problem = toy_problem("me-es");
    problem.settings.algorithm.mode = GENERATE(SearchMode::exploit, SearchMode::explore);
    problem.settings.algorithm.n_optim_gens = 100;  // no cell is sampled by the order of insertion
    auto const without_noise = [](auto theta, EpisodeSpec const&) {
        return Point{-std::abs(theta[0] - 1.0), {theta[0], theta[1]}};
    };
    problem.settings.algorithm.objectives = {Objective::only_fitness(), Objective::only_novelty()};
    auto const one = final_state(problem, without_noise);
    std::ranges::reverse(problem.settings.algorithm.objectives);
    auto const other = final_state(problem, without_noise);
    for (std::size_t g = 0; g < one.history.size(); ++g) {
        CHECK(one.history[g].fitness == other.history[g].fitness);
        CHECK(one.history[g].novelty == other.history[g].novelty);
    }
}
