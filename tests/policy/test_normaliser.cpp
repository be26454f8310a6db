#include "catch.hpp"
#include "mees/policy/normaliser.hpp"

#include <array>

using namespace mees;

// numpy, from the definition: (prior + sum) / count, sqrt(max(E[x^2] - mean^2, 0.01)).
TEST_CASE("the normaliser follows from count, sum and sum of squares")
{
    auto moments = ObservationMoments::prior(2);
    for (auto const& row : {std::array{1.0, -2.0}, std::array{3.0, 0.5}, std::array{0.0, 0.25}}) {
        moments.add(row);
    }
    auto const normaliser = moments.normaliser();
    CHECK(normaliser.mean[0] == Approx(1.3289036544850499).epsilon(1e-14));
    CHECK(normaliser.mean[1] == Approx(-0.41528239202657813).epsilon(1e-14));
    CHECK(normaliser.std[0] == Approx(1.2488380489259272).epsilon(1e-14));
    CHECK(normaliser.std[1] == Approx(1.124093877974874).epsilon(1e-14));

    std::array<float, 2> inputs{};
    normaliser.apply(std::array{1.0, -2.0}, inputs, 0);
    CHECK(inputs[1] == Approx((-2.0 + 0.41528239202657813) / 1.124093877974874));
    normaliser.apply(std::array{1.0, -2.0}, inputs, 0.5);
    CHECK(inputs[1] == -0.5F);
}

TEST_CASE("before anything was seen the normaliser is mean 0, deviation 1; constants get the floor")
{
    auto moments = ObservationMoments::prior(1);
    CHECK(moments.normaliser().mean[0] == 0);
    CHECK(moments.normaliser().std[0] == 1);
    for (int i = 0; i < 1000; ++i) {
        moments.add(std::array{5.0});
    }
    CHECK(moments.normaliser().std[0] == Approx(0.1).epsilon(1e-9));
}

TEST_CASE("merging moments adds them")
{
    auto all = ObservationMoments::prior(1);
    auto part = ObservationMoments::none(1);
    for (double const x : {1.0, 2.0, 4.0}) {
        all.add(std::array{x});
        part.add(std::array{x});
    }
    auto merged = ObservationMoments::prior(1);
    merged.merge(part);
    CHECK(merged.normaliser().mean[0] == Approx(all.normaliser().mean[0]).epsilon(1e-14));
    CHECK(merged.normaliser().std[0] == Approx(all.normaliser().std[0]).epsilon(1e-14));
}
