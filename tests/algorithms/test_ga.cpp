#include "algorithms/given_outcomes.hpp"

#include <cmath>

using namespace mees;
using namespace mees::test;

// Two generations of six members and two episodes each, whose outcomes are given. Outcomes and
// expected values: numpy 1.24 (default_rng(4), rounded to 0.1), means over episodes, stable argsort
// of the negative means, argmax over the candidates, std with ddof = 1, and the best mean of each
// of 10 x 10 cells.

namespace {

SearchProblem six_children()
{
    auto problem = toy_problem("ga");
    auto& settings = problem.settings.algorithm;
    settings.children = 6;
    settings.truncation = 3;
    settings.elite_candidates = 3;
    settings.elite_episodes = 2;
    settings.n_eval = 2;
    problem.settings.policy.normalise_observations = false;
    return problem;
}

}  // namespace

TEST_CASE("a worked generation of GA: truncation, elite, archive and map")
{
    auto const problem = six_children();
    auto const algorithm = start(problem);
    FunctionEvaluator evaluator{problem, sphere};
    auto const parents_are = [&](std::vector<Eigen::VectorXf> const& expected) {
        auto const& emitters = algorithm->state().emitters;
        REQUIRE(emitters.size() == expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            CHECK((emitters[i].theta - expected[i]).norm() < 1e-6F);
        }
    };
    // Means -1.25, 3.5, -2.45, -0.75, -2.05, 2.7: the order begins with members 1, 5, 3.
    auto const first =
        tell(*algorithm, evaluator, {-2.0, -0.5, 5.0, 2.0, -4.9, 0, -1.9, 0.4, -4.8, 0.7, 0.7, 4.7},
             {-0.3, 1.2, 1.9, -0.5, 1.9,  1.7,  -1.3, 0.4, 0.8, 1.8, 0.7,  -1.5,
              0,    0,   0,   1.8,  -0.6, -1.1, 0.1,  0.6, 1.8, 0.3, -0.9, 1.7});
    auto const member = [&](Batch const& batch, std::int64_t index) {
        return member_of(batch, index, evaluator.values());
    };
    // Their new means are 0, -1.5, 2.4: member 3 is the elite.
    auto const again = tell(*algorithm, evaluator, {2.9, -2.9, -2.4, -0.6, 2.2, 2.6},
                            {-0.6, -1.3, -1.1, 1.9, 1.5, -0.5, 1.0, -1.8, 1.7, 0.1, 1.3, -0.9});
    CHECK(again.groups[0].centre->parameters == member(first, 1));
    CHECK(again.groups[1].centre->parameters == member(first, 5));
    auto const elite = member(first, 3);
    parents_are({elite, member(first, 1), member(first, 5)});
    CHECK(algorithm->state().archive.entry(0)[0] == Approx(1.5));
    CHECK(algorithm->state().archive.entry(0)[1] == Approx(-0.4));
    CHECK(algorithm->state().history.back().fitness == Approx(2.4));
    CHECK(algorithm->state().history.back().fitness_std == Approx(std::sqrt(0.08)));

    // Means 1.15, 0.1, -0.3, 2.25, 1.85, 0.4: the order begins with children 3, 4, 0.
    auto const second =
        tell(*algorithm, evaluator, {0, 2.3, -3.9, 4.1, -1.1, 0.5, 2.5, 2.0, 3.2, 0.5, -0.1, 0.9},
             {-1.1, -1.7, 1.2,  0.5, -1.0, 0,   -1.7, 0.8,  0.1,  0.8,  -1.6, 0.6,
              -0.5, 0,    -0.7, 0.5, 0.3,  0.5, -1.7, -1.1, -1.7, -0.5, -0.1, -1.6});
    // The elite so far and children 3 and 4 have the new means -2.95, -1.05, 2.15.
    tell(*algorithm, evaluator, {-2.3, -3.6, 0, -2.1, 3.8, 0.5},
         {-1.4, 0.8, -0.7, 1.0, 0, -0.5, 1.0, -1.3, -0.9, -0.8, -0.3, 1.6});
    // Child 4 is the elite; the one that it displaces is the second parent.
    parents_are({member(second, 4), elite, member(second, 3)});
    auto const& state = algorithm->state();
    CHECK(state.archive.entry(1)[0] == Approx(-0.6));
    CHECK(state.archive.entry(1)[1] == Approx(0.4));
    CHECK(state.history.back().fitness == Approx(2.15));
    CHECK(state.history.back().fitness_std == Approx(std::sqrt(5.445)));
    CHECK(state.history.back().novelty == Approx(2.247220505424423));
    CHECK(state.history.back().episodes == 2 * (6 * 2 + 3 * 2));
    CHECK(state.map.filled() == 11);
    CHECK(qd_score(state.map, 0) == Approx(5.9));
    CHECK(best_of(state) == Approx(3.5));
}
