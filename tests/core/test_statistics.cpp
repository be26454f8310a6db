#include "catch.hpp"
#include "mees/core/statistics.hpp"

#include <array>

using namespace mees;

// Mean 5; squared deviations 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32.
TEST_CASE("mean, standard deviation and standard error")
{
    std::array const values{2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0};
    CHECK(mean_of(values) == 5);
    CHECK(standard_deviation_of(values, 5) == Approx(std::sqrt(32.0 / 7)));
    CHECK(standard_error_of(values, 5) == Approx(std::sqrt(32.0 / 7 / 8)));
}

TEST_CASE("a single value has no deviation")
{
    std::array const value{3.5};
    CHECK(mean_of(value) == 3.5);
    CHECK(standard_deviation_of(value, 3.5) == 0);
    CHECK(standard_error_of(value, 3.5) == 0);
}
