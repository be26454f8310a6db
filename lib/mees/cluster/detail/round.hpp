#pragma once

#include "mees/cluster/detail/chunk_planner.hpp"
#include "mees/cluster/detail/messages.hpp"
#include "mees/cluster/detail/ranks.hpp"
#include "mees/core/stop.hpp"
#include "mees/core/stopwatch.hpp"
#include "mees/rollout/episode_runner.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace mees {

/// Rank 0's side of a batch: hands out episodes until all are done, dropped or failed.
class Round {
  public:
    /// Called with each reply's header and outcomes.
    using OnReply = std::function<void(int rank, ReplyHeader const&, std::span<std::byte const>)>;

    Round(Ranks& ranks, std::uint32_t round, ChunkPlanner planner);

    /// True if all episodes are done; false if a stop was requested. Throws the first failure. In
    /// each of these cases no worker has an episode left. Throws what `Ranks::tend` throws if one
    /// does not answer.
    [[nodiscard]] bool run(OnReply const& on_reply, StopToken& stop);

  private:
    struct Worker {
        int assignments{0};
        bool got_last{false};
    };

    void assign(int rank);
    void send_assignment(int rank, ChunkPlanner::Chunk chunk, bool last);
    void take_reply(OnReply const& on_reply, Stopwatch& watch);
    void drop_all();
    [[nodiscard]] bool over() const { return outstanding_ == 0 && unfinished_ == 0; }
    [[nodiscard]] Worker& worker(int rank) { return workers_[static_cast<std::size_t>(rank)]; }

    Ranks& ranks_;
    std::uint32_t round_;
    ChunkPlanner planner_;
    std::vector<Worker> workers_;  ///< by rank; the first is unused
    std::vector<std::byte> buffer_;
    int outstanding_{0};  ///< assignments without reply
    int unfinished_{0};   ///< workers that expect another assignment
    bool dropped_{false};
};

/// Every rank but 0: runs the episodes that rank 0's evaluator hands out until it is released.
/// Throws ShutdownRequested if rank 0 ends before that.
void run_worker(ClusterRuntime& runtime, RolloutSetup const& setup, std::span<float const> noise);

}  // namespace mees
