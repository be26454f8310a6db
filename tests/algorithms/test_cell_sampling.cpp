#include "algorithms/function_evaluator.hpp"
#include "catch.hpp"

#include <algorithm>
#include <cmath>

// The rules by which ME-ES draws its parent cells, seen in a whole search: how often a parent was
// of a kind, against the sum of the probabilities that the rule gave it each time.

using namespace mees;
using namespace mees::test;

namespace {

struct Tally {
    double drawn{0};
    double expected{0};
    double variance{0};
};

/// A cell's rank among the filled ones, 0 being the highest; ties go to the lower cell.
template <class Value>
std::int64_t rank_of(EliteMap const& map, CellId cell, Value value)
{
    auto const mine = value(*map.find(cell));
    return std::ranges::count_if(map.elites(), [&](auto const& entry) {
        auto const other = value(entry.second);
        return other > mine || (other == mine && entry.first < cell);
    });
}

/// Follows a search that draws a parent every generation. `is_of_kind(map, cell)` and
/// `probability(filled cells)` say what to count and how often it should come.
template <class Kind, class Probability>
Tally follow(SearchProblem problem, Kind is_of_kind, Probability probability)
{
    problem.space = BehaviourSpace{{30, 30}, {-2, -2}, {2, 2}};
    problem.settings.run.generations = 600;
    problem.settings.es.population = 4;
    problem.settings.es.learning_rate = 0.1;
    problem.settings.algorithm.n_optim_gens = 1;
    problem.settings.algorithm.n_eval = 1;
    auto const algorithm = make_algorithm(problem, initial_state(problem));
    FunctionEvaluator evaluator{problem, sphere};
    StopToken stop;
    Tally tally;
    while (!algorithm->finished()) {
        bool const draws = algorithm->state().evaluated;
        auto const map = algorithm->state().map;
        auto const batch = algorithm->ask();
        algorithm->tell(batch, *evaluator.evaluate(batch, stop), evaluator);
        if (draws) {
            auto const parent = algorithm->state().emitters.front().parent_cell;
            REQUIRE(parent.has_value());
            REQUIRE(map.find(*parent) != nullptr);
            double const p = probability(static_cast<double>(map.filled()));
            tally.drawn += is_of_kind(map, *parent) ? 1 : 0;
            tally.expected += p;
            tally.variance += p * (1 - p);
        }
    }
    CHECK(algorithm->state().map.filled() > 50);
    return tally;
}

double fitness_of(Elite const& elite)
{
    return elite.fitness;
}
double novelty_of(Elite const& elite)
{
    return elite.novelty;
}

}  // namespace

TEST_CASE("a search by best-or-uniform begins at the fittest half of the time, else anywhere")
{
    auto problem = toy_problem();
    problem.settings.algorithm.mode = "exploit";
    problem.settings.algorithm.exploit_cells = "best-or-uniform";
    auto const fittest = follow(
        problem,
        [](EliteMap const& map, CellId cell) { return rank_of(map, cell, fitness_of) == 0; },
        [](double n) { return 0.5 + 0.5 / n; });
    CHECK(std::abs(fittest.drawn - fittest.expected) < 4 * std::sqrt(fittest.variance));
    auto const lower_half = follow(
        problem,
        [](EliteMap const& map, CellId cell) {
            return 2 * (rank_of(map, cell, fitness_of) + 1) > map.filled() + 1;
        },
        [](double n) { return n < 2 ? 0 : 0.5 * std::floor(n / 2) / n; });
    CHECK(std::abs(lower_half.drawn - lower_half.expected) < 4 * std::sqrt(lower_half.variance));
}

TEST_CASE("a search by most-novel-mixed begins outside the five most novel now and then")
{
    auto problem = toy_problem();
    problem.settings.algorithm.mode = "explore";
    auto const outside = [](EliteMap const& map, CellId cell) {
        return rank_of(map, cell, novelty_of) >= 5;
    };
    problem.settings.algorithm.explore_cells = "most-novel-mixed";
    auto const mixed =
        follow(problem, outside, [](double n) { return n > 5 ? 0.1 * (n - 5) / n : 0; });
    CHECK(mixed.expected > 30);
    CHECK(std::abs(mixed.drawn - mixed.expected) < 4 * std::sqrt(mixed.variance));

    problem.settings.algorithm.explore_cells = "most-novel";
    CHECK(follow(problem, outside, [](double) { return 0.0; }).drawn == 0);
}
