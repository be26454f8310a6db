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
