#pragma once

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>

namespace mees {

/// How a rank waits: it spins while an answer is likely to come soon, then sleeps for increasing
/// times.
struct WaitPolicy {
    std::chrono::microseconds spin{0};
    std::chrono::microseconds longest_sleep{1000};

    /// Spins, then sleeps briefly, where every rank has its own core; never spins where they share.
    [[nodiscard]] static WaitPolicy for_node(int ranks, int cores);
};

/// Seconds of a clock that takes a few nanoseconds to read and advances every few milliseconds.
[[nodiscard]] double coarse_seconds();

/// One wait: call `pause` between two checks of the condition.
class Backoff {
  public:
    explicit Backoff(WaitPolicy policy) : policy_{policy} {}

    void pause();
    /// Something arrived: the next may arrive soon too.
    void restart()
    {
        sleep_ = {};
        began_ = Clock::now();
    }

  private:
    using Clock = std::chrono::steady_clock;

    WaitPolicy policy_;
    Clock::time_point began_{Clock::now()};
    std::chrono::microseconds sleep_{0};
};

/// Sleeps until another process changes `word` from `expected` and wakes the sleepers, or for
/// `longest`. `word` lies in memory shared between processes.
void sleep_while_equal(std::atomic<std::uint32_t> const& word, std::uint32_t expected,
                       std::chrono::milliseconds longest);
/// Wakes that many at most.
void wake_sleepers(std::atomic<std::uint32_t> const& word, int count = INT_MAX);

}  // namespace mees
