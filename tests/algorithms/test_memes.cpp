#include "algorithms/function_evaluator.hpp"
#include "catch.hpp"

#include <algorithm>
#include <map>

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

// Where nothing is ever inserted, an emitter counts its steps since its last restart: 1, 2, 3, and
// with a patience of 3 it starts again from 1 in generations 4, 7 and 10.
TEST_CASE("an emitter restarts after exactly its patience without insertions")
{
    auto problem = toy_problem("memes");
    problem.settings.algorithm.emitters = 2;
    problem.settings.algorithm.emitter_patience = 3;
    auto const constant = [](std::span<float const>, EpisodeSpec const&) {
        return Point{1.0, {0.5, 0.5}};
    };
    std::vector<std::int64_t> steps;
    for (std::int64_t generations = 1; generations <= 10; ++generations) {
        problem.settings.run.generations = generations;
        auto const state = final_state(problem, constant);
        CHECK(state.emitters[0].steps == state.emitters[1].steps);
        steps.push_back(state.emitters[0].steps);
    }
    CHECK(steps == std::vector<std::int64_t>{1, 2, 3, 1, 2, 3, 1, 2, 3, 1});
}

TEST_CASE("only MEMES limits the entries that novelty is compared with")
{
    auto const window = [](std::string const& algorithm) {
        auto problem = toy_problem(algorithm);
        problem.settings.algorithm.novelty_window = 7;
        return initial_state(problem).archive.settings().window;
    };
    CHECK(window("memes") == 7);
    CHECK(window("me-es") == 0);
}

// The ablation of the paper in which all offspring are offered to the map. Without noise their
// second evaluation is the same as the first: the map is then that of everything ever evaluated.
TEST_CASE("MEMES with all offspring confirmed offers all of them to the map")
{
    auto problem = toy_problem("memes");
    problem.settings.algorithm.emitters = 3;
    problem.settings.run.generations = 6;
    problem.settings.algorithm.n_eval = 1;
    problem.settings.es.sigma = 0.3;
    std::map<CellId, double> best;
    auto const recorded = [&](std::span<float const> theta, EpisodeSpec const&) {
        Point const point{-std::abs(theta[0] - 1.0) - std::abs(theta[2]), {theta[0], theta[1]}};
        auto const cell = problem.space.cell_of(point.bc);
        auto const known = best.try_emplace(cell, point.fitness).first;
        known->second = std::max(known->second, point.fitness);
        return point;
    };
    auto const found = [&](std::int64_t confirmed) {
        best.clear();
        problem.settings.algorithm.confirm_offspring = confirmed;
        auto const state = final_state(problem, recorded);
        std::map<CellId, double> map;
        for (auto const& [cell, elite] : state.map.elites()) {
            map[cell] = elite.fitness;
        }
        return map;
    };
    CHECK(found(problem.settings.es.population) == best);
    CHECK(found(0).size() < best.size());
}
