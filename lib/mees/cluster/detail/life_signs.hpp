#pragma once

#include "mees/cluster/detail/shared_memory.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

namespace mees {

/// What a rank shows the other ranks of its node, in shared memory.
///
/// Its main thread changes `beats` whenever it polls: between control steps and while it waits. A
/// rank that is stopped, swapped out or stuck does not, however long its episode may take.
struct alignas(cache_line) LifeSign {
    std::atomic<std::uint32_t> beats{0};
    std::atomic<std::int64_t> episode{-1};  ///< that it runs; -1: none
    std::int32_t rank{0};
    std::int64_t process{0};
    std::uint64_t kernel{0};  ///< equal where the process number means the same process
};

/// A rank that may be lost. A message from leaders to rank 0.
struct Suspect {
    std::int32_t rank{-1};   ///< -1: none
    std::uint32_t ended{0};  ///< its process does not exist any more
    double silent_seconds{0};
    std::int64_t episode{-1};

    [[nodiscard]] bool less_alarming_than(Suspect const& other) const
    {
        return ended != other.ended ? ended < other.ended : silent_seconds < other.silent_seconds;
    }
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
