#include "mees/cluster/detail/watchdog.hpp"

#include "mees/cluster/detail/life_signs.hpp"
#include "mees/cluster/detail/mpi.hpp"
#include "mees/cluster/detail/process.hpp"
#include "mees/cluster/runtime.hpp"
#include "mees/core/output.hpp"
#include "mees/core/process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <utility>

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

namespace mees {

Watchdog::Watchdog(double seconds, std::function<void()> expired, std::function<bool()> stuck)
{
    if (seconds <= 0) {
        return;
    }
    // Signals are for the main thread.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
        thread_ = std::thread{[this, seconds, expired = std::move(expired),
                               stuck = std::move(stuck)] { watch(seconds, expired, stuck); }};
    } catch (std::exception const&) {
        // Too little memory for a thread: the section is not bounded.
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Watchdog::~Watchdog()
{
    {
        std::lock_guard const lock{mutex_};
        over_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void Watchdog::watch(double seconds, std::function<void()> const& expired,
                     std::function<bool()> const& stuck)
{
    AwakeClock clock;
    double passed = 0;
    std::unique_lock lock{mutex_};
    while (!changed_.wait_for(lock, std::chrono::milliseconds{100}, [this] { return over_; })) {
        double const step = clock.step();
        passed = stuck && !stuck() ? 0 : passed + step;
        if (passed >= seconds) {
            expired();
            return;
        }
    }
}

Watchdog bound_collective(std::atomic<char const*> const& stage)
{
    int const rank = rank_from_environment();
    double const limit = start_up_limit() * slowness_of(ranks_here_from_environment());
    // Ranks other than 0 wait a little longer, so that few of them print the reason.
    double const later = rank == 0 ? 0 : 2 + 0.1 * std::min(rank, 50);
    return Watchdog{
        limit > 0 ? limit + later : 0, [&stage, rank, limit] {
            print_error(
                program_invocation_short_name,
                fmt::format("rank {} on host {} has waited for other ranks for {:.0f} s (while "
                            "{}). Look for a node that is down, frozen, or short of memory or of "
                            "space in /dev/shm; set MEES_START_SECONDS to wait longer.",
                            rank, host_name(), limit, stage.load()));
            _exit(static_cast<int>(ExitCode::failure));
        }};
}

std::function<bool()> stuck_in_mpi()
{
    return [last = std::uint64_t{0}]() mutable {
        auto const number = present_mpi_call().number;
        return std::exchange(last, number) == number && number != 0;
    };
}

void abort_all_ranks(int code)
{
    constexpr double longest = 5;
    Watchdog const watchdog{longest, [code] { _exit(code); }};
    std::fflush(nullptr);
    int started = 0;
    int ended = 0;
    MPI_Initialized(&started);
    MPI_Finalized(&ended);
    if (started != 0 && ended == 0) {
        MPI_Abort(MPI_COMM_WORLD, code);
    }
    _exit(code);
}

double start_up_limit()
{
    constexpr double usual = 50;
    char const* text = std::getenv("MEES_START_SECONDS");
    if (text == nullptr) {
        return usual;
    }
    char* end = nullptr;
    double const seconds = std::strtod(text, &end);
    return end != text && std::isfinite(seconds) && seconds >= 0 ? seconds : usual;
}

}  // namespace mees
