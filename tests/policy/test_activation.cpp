#include "catch.hpp"
#include "mees/policy/activation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

using namespace mees;

TEST_CASE("tanh is accurate and never exceeds 1")
{
    std::vector<float> values;
    for (int i = -120'000; i <= 120'000; ++i) {
        values.push_back(static_cast<float>(i) * 1e-4F);
    }
    auto results = values;
    apply_tanh(results);
    double worst = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        worst = std::max(worst, std::abs(results[i] - std::tanh(double{values[i]})));
    }
    CHECK(worst < 4e-7);
    CHECK(std::ranges::max(results) == 1.F);
    CHECK(std::ranges::min(results) == -1.F);
}

TEST_CASE("tanh of the smallest and largest numbers and of NaN")
{
    constexpr auto infinity = std::numeric_limits<float>::infinity();
    std::array values{0.F,      1e-30F,    std::numeric_limits<float>::denorm_min(),
                      infinity, -infinity, std::numeric_limits<float>::quiet_NaN()};
    apply_tanh(values);
    CHECK(values[0] == 0.F);
    CHECK(values[1] == 1e-30F);
    CHECK(values[2] == std::numeric_limits<float>::denorm_min());
    CHECK(values[3] == 1.F);
    CHECK(values[4] == -1.F);
    CHECK(std::isnan(values[5]));
}
