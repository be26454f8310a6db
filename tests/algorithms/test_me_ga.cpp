#include "algorithms/function_evaluator.hpp"
#include "catch.hpp"

using namespace mees;
using namespace mees::test;

TEST_CASE("ME-GA offers every child, keeps no archive, and covers more than ME-ES")
{
    auto problem = toy_problem("me-ga");
    problem.settings.algorithm.children = 14;
    problem.settings.es.sigma = 0.3;
    auto const state = final_state(problem);
    CHECK(state.archive.size() == 0);
    CHECK(state.history.back().episodes == 3 + 30 * 14 * 3);
    CHECK(state.map.filled() > final_state(toy_problem("me-es")).map.filled());
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
    auto problem = toy_problem("me-ga");
    problem.settings.algorithm.children = 10;
    for (auto const variation : {Variation::gaussian, Variation::iso_line}) {
        for (auto const cells : {ParentCells::per_generation, ParentCells::per_child}) {
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
