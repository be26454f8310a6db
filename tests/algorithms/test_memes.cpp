#include "algorithms/function_evaluator.hpp"
#include "catch.hpp"

#include <algorithm>

using namespace mees;
using namespace mees::test;

TEST_CASE("MEMES steps every emitter each generation and restarts those that stagnate")
{
    auto problem = toy_problem("memes");
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
