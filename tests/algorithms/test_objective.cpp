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
    OffspringValues offspring;
    append_offspring(offspring, result, {1, 4}, 1);
    NoveltyArchive archive{2, {10, NoveltyMetric::euclidean}};
    archive.add(std::vector{0.0, 0.0});
    auto const check = [&](Objective const& objective, std::vector<double> const& expected) {
        auto const ranks = objective_ranks(objective, offspring, {archive});
        REQUIRE(ranks.size() == expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            CHECK(ranks[i] == Approx(expected[i]).margin(1e-15));
        }
    };
    double const sixth = 1.0 / 6;
    check(Objective::only_fitness(), {0.5, sixth, -sixth, -0.5});
    check(Objective::only_novelty(), {-0.5, -sixth, 0.5, sixth});
    check({.evolvability = 1}, {2 * sixth, -0.5, 2 * sixth, -sixth});
    check({.fitness = 0.5, .novelty = 0.5}, {0, 0, sixth, -sixth});
    check({.fitness = 0.75, .novelty = 0.25}, {0.25, sixth / 2, 0, 2 * -sixth});
}

// Behaviour is a sine of each of two parameters. Offspring spread by sigma times its slope: most
// where the slope is 1, at theta_0 = -1.2 and theta_1 = 0.9, whatever the fitness.
TEST_CASE("evolvability leads to where offspring spread most")
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
    auto const carried = [&](Objective const& objective) {
        problem.settings.algorithm.objectives = {objective};
        return final_state(problem, waves).emitters.front().theta;
    };
    auto const evolvable = carried({.evolvability = 1});
    CHECK(evolvable[0] == Approx(-1.2).margin(0.1));
    CHECK(evolvable[1] == Approx(0.9).margin(0.1));
    // Fitness leads elsewhere, to theta_0 = 0.5, where the slope is cos 1.7 = -0.13.
    CHECK(carried(Objective::only_fitness())[0] == Approx(0.5).margin(0.1));
}

// Pairs (1, 5), (2, 3), (0, 4), (7, 6): centred ranks of the eight values 0..7 are i/7 - 1/2. The
// better members are 5, 3, 4, 7: half of the pairs are the first and the last.
TEST_CASE("the pairs with the best members form the gradient")
{
    OffspringValues const offspring{1, {1, 5, 2, 3, 0, 4, 7, 6}, {}, std::vector<double>(8, 0.0)};
    std::vector<NoiseOffset> const offsets{NoiseOffset{10}, NoiseOffset{20}, NoiseOffset{30},
                                           NoiseOffset{40}};
    NoveltyArchive const archive{1, {10, NoveltyMetric::euclidean}};
    EsSettings settings;
    auto const terms = [&] {
        return gradient_terms(Objective::only_fitness(), offspring, offsets, {archive}, settings);
    };
    SECTION("all of them")
    {
        CHECK(terms().offsets == offsets);
        CHECK(terms().weights
              == std::vector<float>{
                  static_cast<float>(1.0 / 7 - 5.0 / 7), static_cast<float>(2.0 / 7 - 3.0 / 7),
                  static_cast<float>(0.0 / 7 - 4.0 / 7), static_cast<float>(1.0 / 7)});
    }
    SECTION("half of them")
    {
        settings.direction_fraction = 0.5;
        CHECK(terms().offsets == std::vector{NoiseOffset{10}, NoiseOffset{40}});
        CHECK(terms().weights[0] == Approx(-4.0 / 7));
        CHECK(terms().weights[1] == Approx(1.0 / 7));
    }
    SECTION("at least one, and parts of a pair round up")
    {
        settings.direction_fraction = 1e-9;
        CHECK(terms().offsets == std::vector{NoiseOffset{40}});
        settings.direction_fraction = 0.26;
        CHECK(terms().offsets.size() == 2);
    }
    SECTION("values over the standard deviation of those used")
    {
        // Of 1, 5, 7, 6: mean 4.75, squares 14.0625 + 0.0625 + 5.0625 + 1.5625 = 20.75.
        settings.direction_fraction = 0.5;
        settings.utility = Utility::standardised;
        double const deviation = std::sqrt(20.75 / 4);
        CHECK(terms().weights[0] == Approx(-4 / deviation));
        CHECK(terms().weights[1] == Approx(1 / deviation));
    }
}

// The same pairs, the first and the last, for values by which the others are better: 4, 0, 2, 1
// have the ranks 3, 0, 2, 1 among all; mean 1.75, squares 5.0625 + 3.0625 + 0.0625 + 0.5625 = 8.75.
TEST_CASE("the pairs that are best by the first values form all gradients")
{
    std::vector<std::vector<double>> const values{{1, 5, 2, 3, 0, 4, 7, 6},
                                                  {4, 0, 9, 9, 9, 9, 2, 1}};
    std::vector<NoiseOffset> const offsets{NoiseOffset{10}, NoiseOffset{20}, NoiseOffset{30},
                                           NoiseOffset{40}};
    EsSettings settings;
    CHECK(value_gradients(values, offsets, settings)[1].offsets == offsets);
    settings.direction_fraction = 0.5;
    auto const ranked = value_gradients(values, offsets, settings);
    REQUIRE(ranked.size() == 2);
    for (auto const& terms : ranked) {
        CHECK(terms.offsets == std::vector{NoiseOffset{10}, NoiseOffset{40}});
    }
    CHECK(ranked[0].weights[0] == Approx(-4.0 / 7));
    CHECK(ranked[1].weights[0] == Approx(3.0 / 7));
    CHECK(ranked[1].weights[1] == Approx(1.0 / 7));
    settings.utility = Utility::standardised;
    auto const weights = value_gradients(values, offsets, settings)[1].weights;
    CHECK(weights[0] == Approx(4 / std::sqrt(8.75 / 4)));
    CHECK(weights[1] == Approx(1 / std::sqrt(8.75 / 4)));
}

TEST_CASE("values without any spread weigh nothing")
{
    OffspringValues const offspring{1, {2, 2, 2, 2}, {}, std::vector<double>(4, 0.0)};
    NoveltyArchive const archive{1, {10, NoveltyMetric::euclidean}};
    EsSettings settings;
    settings.utility = Utility::standardised;
    auto const terms =
        gradient_terms(Objective::only_fitness(), offspring,
                       std::vector{NoiseOffset{1}, NoiseOffset{2}}, {archive}, settings);
    CHECK(terms.weights == std::vector<float>{0, 0});
}
