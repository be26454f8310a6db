#include "catch.hpp"

#include "mees/cluster/detail/mpi.hpp"
#include "mees/cluster/detail/watchdog.hpp"

#include <atomic>
#include <chrono>
#include <thread>

using namespace mees;

namespace {

void sleep_for(double seconds)
{
    std::this_thread::sleep_for(std::chrono::duration<double>{seconds});
}

}  // namespace

TEST_CASE("a watchdog of MPI calls counts the seconds of one call, not those between or over many")
{
    std::atomic<bool> expired{false};
    Watchdog const watchdog{1.5, [&] { expired = true; }, stuck_in_mpi()};
    sleep_for(2);
    CHECK_FALSE(expired);
    for (int i = 0; i < 40; ++i) {
        MpiCall const call;
        sleep_for(0.05);
    }
    CHECK_FALSE(expired);
    MpiCall const call{7};
    CHECK(present_mpi_call().peer == 7);
    sleep_for(0.5);
    CHECK_FALSE(expired);
    for (int i = 0; i < 100 && !expired; ++i) {
        sleep_for(0.1);
    }
    CHECK(expired);
}
