#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace mees {

/// Bounds a section that may block for ever inside the MPI library: unless it is destroyed within
/// `seconds`, `expired` is called on another thread, which should end the process. Time in which
/// the whole process is stopped does not count. Without the memory for a thread there is no bound.
///
/// `stuck` restricts it to a part of the section: it is called several times a second, on that
/// thread, and the seconds are counted from the last time that it was false.
class Watchdog {
  public:
    Watchdog(double seconds, std::function<void()> expired, std::function<bool()> stuck = {});
    ~Watchdog();
    Watchdog(Watchdog const&) = delete;
    Watchdog& operator=(Watchdog const&) = delete;

  private:
    void watch(double seconds, std::function<void()> const& expired,
               std::function<bool()> const& stuck);

    std::mutex mutex_;
    std::condition_variable changed_;
    bool over_{false};
    std::thread thread_;
};

/// Ends this process and, through MPI_Abort, all others, with this exit status; never waits for
/// longer than some seconds, and runs no destructors.
[[noreturn]] void abort_all_ranks(int code);

/// Bounds a collective MPI call, in which a rank that is lost would make all others wait for ever:
/// ends this process with a message unless the result is destroyed within `start_up_limit`. `stage`
/// completes "while ..." and may change meanwhile.
[[nodiscard]] Watchdog bound_collective(std::atomic<char const*> const& stage);

/// For a Watchdog: whether the main thread is in the same MPI call as when this was called before.
[[nodiscard]] std::function<bool()> stuck_in_mpi();

/// Seconds that start-up may take before it is given up: MEES_START_SECONDS, or 50; 0: unbounded.
[[nodiscard]] double start_up_limit();

}  // namespace mees
