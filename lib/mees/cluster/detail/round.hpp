#pragma once

#include "mees/cluster/detail/messages.hpp"
#include "mees/cluster/detail/node_queue.hpp"
#include "mees/cluster/detail/ranks.hpp"
#include "mees/cluster/detail/share_planner.hpp"
#include "mees/core/stop.hpp"
#include "mees/core/stopwatch.hpp"
#include "mees/rollout/episode_runner.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace mees {

/// Rank 0's side of a batch: gives shares of the episodes to nodes that ask for them until all are
/// done, dropped or failed.
class Round {
  public:
    /// Called with the reports and outcomes of each message from a node.
    using OnReport =
        std::function<void(std::span<WorkerReport const>, std::span<std::byte const> outcomes)>;

    /// `nodes` have workers.
    Round(Ranks& ranks, std::uint32_t round, SharePlanner planner, std::int64_t nodes);

    /// True if all episodes are done; false if a stop was requested. Throws the first failure. In
    /// each of these cases no worker has an episode left, and no message is on its way. Throws what
    /// `Ranks::tend` throws if one does not answer.
    [[nodiscard]] bool run(OnReport const& on_report, StopToken& stop);

  private:
    void take_report(OnReport const& on_report, Stopwatch& watch);
    void answer(int rank, NodeReport const& report);
    template <class Value>
    void send_while_tending(int rank, Tag tag, Value const& value);
    void drop_all();
    [[nodiscard]] bool over() const;

    Ranks& ranks_;
    std::uint32_t round_;
    SharePlanner planner_;
    std::vector<std::byte> message_;
    std::vector<WorkerReport> reports_;
    std::int64_t unfinished_;  ///< nodes
    std::int64_t received_{0};
    std::int64_t announced_{0};  ///< messages of nodes that have finished
    bool failed_{false};         ///< a node has announced a failure
    bool dropped_{false};
};

/// Every rank but 0: runs the episodes that rank 0's evaluator hands out until it is released.
/// Throws ShutdownRequested if rank 0 ends before that.
void run_worker(ClusterRuntime& runtime, RolloutSetup const& setup, std::span<float const> noise);

}  // namespace mees
