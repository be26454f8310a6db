#include "catch.hpp"
#include "mees/core/error.hpp"
#include "mees/programs/detail/time_limit.hpp"

#include <cstdlib>

using namespace mees;
using namespace std::chrono_literals;

TEST_CASE("durations are sums of units, or seconds")
{
    CHECK(parse_duration("3h50m") == 3h + 50min);
    CHECK(parse_duration("1d2h") == 26h);
    CHECK(parse_duration("45m30s") == 45min + 30s);
    CHECK(parse_duration("90") == 90s);
    for (auto const* text : {"", "soon", "0", "-5", "5x", "1h30", "h", "2000000000"}) {
        auto const message =
            message_of<ConfigError>([&] { static_cast<void>(parse_duration(text)); });
        CHECK_THAT(message, Catch::Matchers::ContainsSubstring("invalid --time-limit '"));
    }
}

TEST_CASE("the margin before a limit is 5 % between 10 s and 2 minutes")
{
    CHECK(stop_margin(4s) == 2s);
    CHECK(stop_margin(20s) == 5s);
    CHECK(stop_margin(100s) == 10s);
    CHECK(stop_margin(1000s) == 50s);
    CHECK(stop_margin(10h) == 120s);
}

TEST_CASE("the deadline comes from the option, else from SLURM, else there is none")
{
    unsetenv("SLURM_JOB_ID");
    unsetenv("SLURM_JOB_END_TIME");
    CHECK_FALSE(deadline(std::nullopt));
    auto const before = StopToken::Clock::now();
    auto const soon = deadline(100s).value();
    CHECK((soon.end - before >= 100s && soon.end - before < 110s));
    CHECK(soon.margin == 10s);
    setenv("SLURM_JOB_END_TIME", std::to_string(std::time(nullptr) + 1000).c_str(), 1);
    auto const later = deadline(std::nullopt).value();
    CHECK((later.end - before > 990s && later.end - before < 1010s));
    CHECK((later.margin >= 49s && later.margin <= 50s));
    unsetenv("SLURM_JOB_END_TIME");
}

TEST_CASE("a limit beyond the clock's range is far away, not in the past")
{
    for (auto const* text : {"107000d", "1000000000d"}) {
        StopToken stop{deadline(parse_duration(text)), {}};
        CHECK_FALSE(stop.requested());
    }
}
