#include "algorithms/function_evaluator.hpp"
#include "catch.hpp"
#include "mees/algorithms/objective.hpp"

#include <cmath>

using namespace mees;
using namespace mees::test;

namespace {

BatchResult result_of(std::vector<Point> const& points)
{
    BatchResult result{static_cast<std::int64_t>(points.size()), 2};
    for (std::size_t i = 0; i < points.size(); ++i) {
        result.outcomes[i].fitness = points[i].fitness;
        std::ranges::copy(points[i].bc, result.bc(static_cast<std::int64_t>(i)).begin());
    }
    return result;
}

}  // namespace

// By hand. Behaviours (0,0) (2,0) (4,0) (2,2): their mean is (2, 0.5), the squared distances from
// it are 4.25, 0.25, 4.25, 2.25. Novelty against the single entry (0,0): 0, 2, 4, sqrt 8.
TEST_CASE("objectives are weighted centred ranks of fitness, novelty and spread")
{
    // A first episode that is not in the range must not count.
    auto const result =
        result_of({{99, {50, 50}}, {4, {0, 0}}, {3, {2, 0}}, {2, {4, 0}}, {1, {2, 2}}});
    EpisodeRange const range{1, 4};
    NoveltyArchive archive{2, {10, NoveltyMetric::euclidean}};
    archive.add(std::vector{0.0, 0.0});
    auto const check = [&](Objective const& objective, std::vector<double> const& expected) {
        auto const ranks = objective_ranks(objective, result, range, archive);
        REQUIRE(ranks.size() == expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            CHECK(ranks[i] == Approx(expected[i]).margin(1e-15));
        }
    };
    double const sixth = 1.0 / 6;
    check(Objective::only_fitness(), {0.5, sixth, -sixth, -0.5});
    check(Objective::only_novelty(), {-0.5, -sixth, 0.5, sixth});
    check(Objective::only_evolvability(), {2 * sixth, -0.5, 2 * sixth, -sixth});
    check({.fitness = 0.5, .novelty = 0.5}, {0, 0, sixth, -sixth});
    check({.fitness = 0.75, .novelty = 0.25}, {0.25, sixth / 2, 0, 2 * -sixth});
}

// Behaviour is a sine of each of two parameters. Offspring spread by sigma times its slope: most
// where the slope is 1, at theta_0 = -1.2 and theta_1 = 0.9, whatever the fitness.
TEST_CASE("evolvability climbs to where offspring spread most")
{
    auto problem = toy_problem();
    problem.settings.run.generations = 80;
    problem.settings.es.population = 200;
    problem.settings.es.sigma = 0.2;
    problem.settings.algorithm.n_optim_gens = 1000;
    auto const waves = [](std::span<float const> theta, EpisodeSpec const&) {
        return Point{-std::abs(theta[0] - 0.5),
                     {std::sin(theta[0] + 1.2), std::sin(theta[1] - 0.9)}};
    };
    auto const carried = [&](char const* objective) {
        problem.settings.algorithm.objectives = {objective};
        return final_state(problem, waves).emitters.front().theta;
    };
    auto const evolvable = carried("evolvability");
    CHECK(evolvable[0] == Approx(-1.2).margin(0.1));
    CHECK(evolvable[1] == Approx(0.9).margin(0.1));
    // Fitness leads elsewhere, to theta_0 = 0.5, where the slope is cos 1.7 = -0.13.
    CHECK(carried("fitness")[0] == Approx(0.5).margin(0.1));
}
