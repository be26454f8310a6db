#include "catch.hpp"
#include "mees/core/error.hpp"
#include "mees/core/process.hpp"

#include <unistd.h>

#include <csignal>
#include <vector>

using namespace mees;

TEST_CASE("work that crashes, hangs or takes too much memory does not complete")
{
    SubprocessLimits const limits{.seconds = 1, .more_bytes = 100'000'000};
    auto const completes = [&](auto const& work) { return completes_in_subprocess(work, limits); };
    CHECK(completes([] {}));
    CHECK(completes([] { throw FileError{"unusable", "", ""}; }));
    CHECK(completes([] { std::vector<char> const small(1'000'000); }));
    CHECK_FALSE(completes([] { std::vector<char> const large(1'000'000'000); }));
    CHECK_FALSE(completes([] { throw 1; }));
    CHECK_FALSE(completes([] { std::raise(SIGSEGV); }));
    CHECK_FALSE(completes([] {
        for (;;) {
            ::pause();
        }
    }));
}
