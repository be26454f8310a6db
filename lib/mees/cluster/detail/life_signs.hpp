#pragma once

#include "mees/cluster/detail/messages.hpp"
#include "mees/cluster/detail/shared_memory.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

namespace mees {

/// The episodes that a rank runs, in memory that it shares. To be read when its process has ended,
/// at whatever moment. Memory for episodes that a rank never runs at once is not touched.
class RunningEpisodes {
  public:
    /// domain.batch is at most that.
    static constexpr std::size_t capacity = 10'000;

    void add(std::int64_t episode);
    /// Without effect if it does not run.
    void remove(std::int64_t episode);
    void clear() { count_.store(0, std::memory_order_relaxed); }
    /// Ascending.
    [[nodiscard]] std::vector<std::int64_t> list() const;

  private:
    std::atomic<std::uint32_t> count_{0};
    std::uint32_t episodes_[capacity];
};

/// What a rank shows the other ranks of its node, in shared memory.
///
/// Its main thread changes `beats` whenever it polls: between control steps and while it waits. A
/// rank that is stopped, swapped out or stuck does not, however long its episode may take.
struct alignas(cache_line) LifeSign {
    std::atomic<std::uint32_t> beats{0};
    std::int32_t rank{0};
    std::int64_t process{0};
    std::uint64_t kernel{0};  ///< equal where the process number means the same process
    RunningEpisodes episodes;
};

/// Measures how long others are silent: time in which this process was itself stopped counts at
/// most a second.
class AwakeClock {
  public:
    /// The seconds since the last call, or since construction.
    [[nodiscard]] double step();

  private:
    std::chrono::steady_clock::time_point last_{std::chrono::steady_clock::now()};
};

/// A leader's view of the other ranks of its node.
class NodeWatch {
  public:
    /// `signs` begins with the leader's own, whose `kernel` has been set.
    explicit NodeWatch(std::span<LifeSign const> signs);

    /// Adds `seconds` to the silence of every rank whose beats have not changed since the last
    /// call; returns the most alarming rank. A process that ended is noticed after a third of a
    /// second of silence.
    [[nodiscard]] Suspect look(double seconds);
    /// Starts to count again.
    void restart();

  private:
    struct Seen {
        std::uint32_t beats{0};
        double silent_seconds{0};
    };

    std::span<LifeSign const> signs_;
    std::vector<Seen> seen_;
};

}  // namespace mees
