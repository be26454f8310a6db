#include "catch.hpp"
#include "es/vector.hpp"
#include "mees/es/optimiser.hpp"

#include <algorithm>
#include <array>

using namespace mees;
using namespace mees::test;

// numpy in float64, from the formula: three steps on -g + 0.005 theta.
TEST_CASE("Adam follows Kingma and Ba on -g + l2 theta")
{
    std::array const gradients{vector({0.1F, -0.2F, 0.3F}), vector({-0.4F, 0.05F, 0}),
                               vector({0.2F, 0.2F, -0.7F})};
    double const expected[3][3] = {
        {1.0099999667129775, -2.0099999833564612, 0.5099999893705066},
        {1.0042843119205858, -2.014145215402881, 0.5166365057536261},
        {1.002996068959097, -2.0117124565654567, 0.5127518266543842},
    };
    auto theta = vector({1, -2, 0.5F});
    OptimiserState state;
    for (int t = 0; t < 3; ++t) {
        theta = optimiser_step({}, state, theta, gradients[static_cast<std::size_t>(t)]);
        for (int i = 0; i < 3; ++i) {
            CHECK(theta[i] == Approx(expected[t][i]).epsilon(2e-7));
        }
    }
    CHECK(state.steps == 3);
}

TEST_CASE("SGD takes lr times the same gradient")
{
    OptimiserState state;
    OptimiserSettings const settings{.kind = OptimiserKind::sgd};
    auto const theta =
        optimiser_step(settings, state, vector({1, -2, 0.5F}), vector({0.1F, -0.2F, 0.3F}));
    CHECK(theta[0] == Approx(1.00095).epsilon(1e-7));
    CHECK(theta[1] == Approx(-2.0019).epsilon(1e-7));
    CHECK(theta[2] == Approx(0.502975).epsilon(1e-7));
    CHECK(state.first_moment.size() == 0);
}

// By hand: |(3, 4)| = 5, so each gradient adds 0.5 (0.6, 0.8). Speeds 0.5, 0.95, then 1.355, which
// is cut to 1.
TEST_CASE("ClipUp normalises the gradient and limits the speed")
{
    OptimiserState state;
    OptimiserSettings const settings{
        .kind = OptimiserKind::clipup, .learning_rate = 0.5, .l2 = 0, .speed_limit = 1};
    auto theta = vector({1, 2});
    std::vector<std::array<double, 2>> const velocities{{0.3, 0.4}, {0.57, 0.76}, {0.6, 0.8}};
    for (auto const& velocity : velocities) {
        auto const before = theta;
        theta = optimiser_step(settings, state, before, vector({3, 4}));
        CHECK(theta[0] - before[0] == Approx(velocity[0]).epsilon(1e-6));
        CHECK(theta[1] - before[1] == Approx(velocity[1]).epsilon(1e-6));
    }
    // l2 pulls towards 0: the gradient is (3, 4) - 2 theta.
    OptimiserState other;
    auto decaying = settings;
    decaying.l2 = 2;
    auto const moved = optimiser_step(decaying, other, vector({0, 2}), vector({3, 4}));
    CHECK(moved[0] == Approx(0.5));
    CHECK(moved[1] == Approx(2));
}

TEST_CASE("a decayed value is bounded from below")
{
    CHECK(decayed(0.02, 1, 0, 1000) == 0.02);
    CHECK(decayed(8, 0.5, 0, 3) == 1);
    CHECK(decayed(8, 0.5, 3, 3) == 3);
}
