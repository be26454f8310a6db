#pragma once

#include "mees/cluster/detail/share_planner.hpp"
#include "mees/cluster/detail/shared_memory.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mees {

/// What a worker has done when it leaves a round.
struct WorkerReport {
    std::int64_t rank{0};
    std::int64_t done{0};  ///< episodes of this round
    double busy{0};        ///< seconds that they took
    double physics{0};     ///< since the start, like the rest
    double policy{0};
    double waiting{0};
    std::int64_t episodes{0};
    std::int64_t steps{0};
};

/// Results on their way from one worker to the rank that collects them: bytes in the order in which
/// they were written. One writer and, at a time, one reader.
class Outbox {
  public:
    static constexpr std::size_t capacity = std::size_t{1} << 15U;

    /// False, without effect, if they do not fit.
    [[nodiscard]] bool push(std::span<std::byte const> bytes);
    /// Appends everything that was pushed.
    void drain(std::vector<std::byte>& bytes);

  private:
    alignas(cache_line) std::atomic<std::uint64_t> written_{0};
    alignas(cache_line) std::atomic<std::uint64_t> read_{0};
    alignas(cache_line) std::byte ring_[capacity];
};

/// The episodes of a round that rank 0 has given to a node, in memory that the node's ranks share:
/// workers take them one by one and leave their results here.
///
/// There is no leader: a worker that finds few or no episodes left, and that no other forestalls
/// (`try_ask`), asks rank 0 for the next share, sends the results along, and adds the share. Every
/// item is taken once. Nothing blocks but `sleep`, whose time is bounded; a worker that is stopped
/// or dies leaves the others able to notice. The last worker to leave a round finds all results and
/// reports of the others.
class NodeQueue {
  public:
    [[nodiscard]] static std::int64_t bytes_for(std::int64_t workers);

    /// Memory of that size, which begins at a cache line and must outlive the queue. One rank has
    /// to `initialise` before any other uses it.
    NodeQueue(std::span<std::byte> memory, std::int64_t workers);
    void initialise();

    [[nodiscard]] std::int64_t workers() const { return workers_; }

    /// The next item; nothing if none is there now.
    [[nodiscard]] std::optional<std::int64_t> take();
    /// Items that were taken and whose results were not pushed.
    [[nodiscard]] std::int64_t running() const;
    /// So few items are left that a worker should ask for the next share before it runs its own.
    [[nodiscard]] bool low() const;

    /// True for one caller at a time, if a share is needed: it then asks rank 0 and calls `add`.
    [[nodiscard]] bool try_ask();
    /// Asking: adds a share, which may be empty, and wakes workers; no other follows if `last`.
    /// Ends asking.
    void add(Share const& share, bool last);
    /// No share follows those that are here.
    [[nodiscard]] bool closed() const;

    /// Changes with every `add`. Read it before `take`, and `sleep` if that found
    /// nothing: it returns at once if the version changed in between.
    [[nodiscard]] std::uint32_t version() const;
    void sleep(std::uint32_t seen, std::chrono::milliseconds longest) const;

    /// The result of an item that this worker took; false if it must be sent to rank 0 directly.
    [[nodiscard]] bool push(std::int64_t worker, std::span<std::byte const> result);
    /// Asking, or last: appends the results of all workers.
    void collect(std::vector<std::byte>& bytes);
    /// Counts a message to rank 0, which then knows how many to expect.
    void count_message();

    /// A worker ends the round, because of an exception if it `failed`. True for the last one: it
    /// then `collect`s and calls `finish`, which prepares the next round.
    [[nodiscard]] bool leave(std::int64_t worker, WorkerReport const& report, bool failed);
    struct Summary {
        std::vector<WorkerReport> reports;
        std::int64_t messages{0};
        bool failed{false};
    };
    [[nodiscard]] Summary finish();

  private:
    struct Head;
    struct Worker;

    void prepare_round();
    [[nodiscard]] bool wanted() const;

    std::int64_t workers_;
    Head* head_;
    Worker* worker_;
};

}  // namespace mees
