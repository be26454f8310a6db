#include "mees/sim/tasks/sleep.hpp"
#include "physics.hpp"

#include <algorithm>

using namespace mees;
using namespace mees::test;

TEST_CASE("the duration of a sleep depends on its stream and stays within the spread",
          "[sim][sleep]")
{
    auto settings = settings_for("sleep");
    double shortest = 1e9;
    double longest = 0;
    for (int i = 0; i < 2000; ++i) {
        double const uniform = sleep_seconds(settings, stream_of(i));
        CHECK(uniform >= 0.5 * settings.sleep_seconds);
        CHECK(uniform <= 1.5 * settings.sleep_seconds);
        settings.sleep_spread = SleepSpread::lognormal;
        double const seconds = sleep_seconds(settings, stream_of(i));
        shortest = std::min(shortest, seconds);
        longest = std::max(longest, seconds);
        settings.sleep_spread = SleepSpread::uniform;
    }
    CHECK(longest / shortest == Approx(30).epsilon(1e-9));
}
