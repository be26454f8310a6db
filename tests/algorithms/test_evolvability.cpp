#include "algorithms/function_evaluator.hpp"
#include "catch.hpp"
#include "mees/algorithms/evolvability.hpp"
#include "mees/algorithms/objective.hpp"
#include "mees/core/stream.hpp"

#include <cmath>
#include <numeric>

using namespace mees;
using namespace mees::test;

namespace {

/// The entropy of a weighted sample, with the kernel's density estimate: -sum w_i log sum w_j k_ij.
double entropy(std::vector<double> const& bcs, std::vector<double> const& weights, double width)
{
    double result = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        double density = 0;
        for (std::size_t j = 0; j < weights.size(); ++j) {
            double const x = bcs[2 * i] - bcs[2 * j];
            double const y = bcs[2 * i + 1] - bcs[2 * j + 1];
            density += weights[j] * std::exp(-(x * x + y * y) / (2 * width * width));
        }
        result -= weights[i] * std::log(density);
    }
    return result;
}

}  // namespace

// (0, 0) (2, 30) (4, 0) (2, 30), extents 4 and 60: scaled (0, 0) (0.5, 0.5) (1, 0) (0.5, 0.5). Mean
// (0.5, 0.25); squared distances 0.3125, 0.0625, 0.3125, 0.0625. Unscaled the second axis decides.
TEST_CASE("max-var is the spread in units of the map's bounds")
{
    std::vector<double> const bcs{0, 0, 2, 30, 4, 0, 2, 30};
    auto const scaled = scaled_behaviours(bcs, std::vector{4.0, 60.0});
    CHECK(scaled == std::vector<double>{0, 0, 0.5, 0.5, 1, 0, 0.5, 0.5});
    CHECK(spread_values(scaled, 4) == std::vector{0.3125, 0.0625, 0.3125, 0.0625});
    // Mean (2, 15): squared distances 229 and 225.
    CHECK(spread_values(bcs, 4) == std::vector{229.0, 225.0, 229.0, 225.0});
}

// By hand, in kernel widths: 0, 1 and 3 on one axis; k = exp(-1/2), exp(-9/2), exp(-2). p_0 is
// (1 + 0.606531 + 0.011109) / 3, and so on; the values were computed with Python.
TEST_CASE("max-ent of three behaviours")
{
    auto const values = entropy_values(std::vector{0.0, 0.5, 1.5}, 3, 0.5);
    REQUIRE(values.size() == 3);
    CHECK(values[0] == Approx(-0.35843782843106275).epsilon(1e-12));
    CHECK(values[1] == Approx(-0.523437416512434).epsilon(1e-12));
    CHECK(values[2] == Approx(0.00512188498462629).epsilon(1e-10));
}

// A member's score is the derivative of the entropy in the member's share of the distribution:
// compared with differences of the entropy itself, whose formula is written a second time above.
TEST_CASE("max-ent is the derivative of the entropy in the density of offspring")
{
    Stream stream{7, Purpose::replay, Generation{0}};
    std::vector<double> bcs(2 * 11);
    std::ranges::generate(bcs, [&] { return stream.normal(); });
    double const width = 0.7;
    auto const values = entropy_values(bcs, 11, width);
    for (std::size_t i = 0; i < values.size(); ++i) {
        double const step = 1e-6;
        std::vector<double> more(11, 1.0 / 11);
        auto less = more;
        more[i] += step;
        less[i] -= step;
        double const slope = (entropy(bcs, more, width) - entropy(bcs, less, width)) / (2 * step);
        CHECK(values[i] == Approx(slope).epsilon(1e-7));
    }
}

TEST_CASE("max-ent of offspring that are far apart, or all the same, is finite and equal")
{
    // Far apart: p = 1/n, so that each is worth log n - 1. Equal: p = 1, and each is worth -1.
    for (double const value : entropy_values(std::vector{0.0, 1e9, 2e9, 3e9}, 4, 0.1)) {
        CHECK(value == Approx(std::log(4.0) - 1));
    }
    for (double const value : entropy_values(std::vector{5.0, 5.0}, 2, 0.1)) {
        CHECK(value == Approx(-1));
    }
}

// The ranks of the values above: -0.36, -0.52, 0.005 are 0, -1/2, 1/2; of the spread around 2/3,
// 0.44, 0.03, 0.69 likewise. Extents 2 and a width of 0.25 are the widths of 0.5 above.
TEST_CASE("max-var and max-ent are ranked and weighted like the other objectives")
{
    OffspringValues const offspring{1, {3, 2, 1}, {}, {0, 0.5, 1.5}};
    NoveltyArchive const archive{1, {10, NoveltyMetric::euclidean}};
    Reference const reference{archive, {2.0}, 0.25};
    CHECK(objective_ranks({.max_ent = 1}, offspring, reference)
          == std::vector<double>{0, -0.5, 0.5});
    CHECK(objective_ranks({.max_var = 1}, offspring, reference)
          == std::vector<double>{0, -0.5, 0.5});
    CHECK(objective_ranks({.fitness = 1, .max_var = 0.5, .max_ent = 2}, offspring, reference)
          == std::vector{0.5, -1.25, 0.75});
}

// Behaviour is a sine of each of two parameters, the first in units a hundred times as large.
// Offspring spread most where both slopes are 1, at theta_0 = -1.2 and theta_1 = 0.9.
TEST_CASE("max-var and max-ent lead to where offspring spread most on both axes")
{
    auto problem = toy_problem();
    problem.space = BehaviourSpace{{10, 10}, {-200, -2}, {200, 2}};
    problem.settings.run.generations = 80;
    problem.settings.es.population = 200;
    problem.settings.es.sigma = 0.2;
    problem.settings.es.seeds = SharedSeeds::generation;
    problem.settings.algorithm.n_optim_gens = 1000;
    problem.settings.algorithm.kernel_width = 0.05;
    auto const waves = [](std::span<float const> theta, EpisodeSpec const&) {
        return Point{0, {100 * std::sin(theta[0] + 1.2), std::sin(theta[1] - 0.9)}};
    };
    auto const carried = [&](Objective const& objective) {
        problem.settings.algorithm.objectives = {objective};
        return final_state(problem, waves).emitters.front().theta;
    };
    for (Objective const objective : {Objective{.max_var = 1}, Objective{.max_ent = 1}}) {
        auto const evolvable = carried(objective);
        CHECK(evolvable[0] == Approx(-1.2).margin(0.15));
        CHECK(evolvable[1] == Approx(0.9).margin(0.15));
    }
    // Without the scale the second axis counts for nothing.
    CHECK(std::abs(carried({.evolvability = 1})[1] - 0.9) > 0.15);
}
