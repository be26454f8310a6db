#pragma once

#include "mees/cluster/chunk_planner.hpp"
#include "mees/cluster/messages.hpp"
#include "mees/cluster/runtime_impl.hpp"
#include "mees/core/stop.hpp"
#include "mees/core/stopwatch.hpp"
#include "mees/rollout/episode_runner.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace mees {

/// Rank 0's side of a round of work: items handed out until all are done, dropped or failed.
class Round {
  public:
    /// Called with each reply's header and the bytes that its items gave.
    using OnReply = std::function<void(int rank, ReplyHeader const&, std::span<std::byte const>)>;

    Round(ClusterRuntime::Impl& runtime, std::uint32_t round, ChunkPlanner planner);

    /// True if all items are done; false if a stop was requested. Throws the first failure. In
    /// every case no worker holds an item any more.
    [[nodiscard]] bool run(OnReply const& on_reply, StopToken& stop);

  private:
    void assign(int rank);
    void send(int rank, ChunkPlanner::Chunk chunk, bool last);
    void take_reply(OnReply const& on_reply, Stopwatch& watch);
    void drop_all();
    [[nodiscard]] bool over() const { return outstanding_ == 0 && unfinished_ == 0; }

    struct Worker {
        int assignments{0};
        bool told_last{false};
    };

    ClusterRuntime::Impl& runtime_;
    std::uint32_t round_;
    ChunkPlanner planner_;
    std::vector<Worker> workers_;  ///< by rank; the first is unused
    std::vector<std::byte> buffer_;
    int outstanding_{0};  ///< assignments without reply
    int unfinished_{0};   ///< workers that expect another assignment
    bool dropped_{false};
};

/// A worker's side: `work` does one item, appends what it gave to the reply, and returns false if
/// it was dropped. `name` completes "failed in ...".
struct ItemWork {
    std::function<bool(std::int64_t item, AbortCheck const& abort, std::vector<std::byte>& reply)>
        work;
    std::string name;
    std::function<void(ReplyHeader&)> add_timing;
};

void serve_round(ClusterRuntime::Impl& runtime, std::uint32_t round, ItemWork const& work);

}  // namespace mees
