#include "algorithms/function_evaluator.hpp"
#include "catch.hpp"

using namespace mees;
using namespace mees::test;

TEST_CASE("ES optimises a sphere")
{
    auto problem = toy_problem("es");
    problem.settings.run.generations = 60;
    auto const state = final_state(problem);
    // From -8 (all zeros) to the top within the noise that sigma leaves.
    CHECK(state.history.front().fitness < -7.5);
    CHECK(state.history.back().fitness > -0.05);
}

TEST_CASE("options of other algorithms change nothing")
{
    auto const base = toy_problem("me-es");
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
    auto problem = toy_problem("es");
    auto const plain = final_state(problem);
    problem.settings.es.divide_by_sigma = true;
    auto const divided = final_state(problem);
    CHECK(divided.history.back().fitness == Approx(plain.history.back().fitness).epsilon(1e-2));
}
