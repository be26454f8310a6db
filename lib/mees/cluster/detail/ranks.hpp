#pragma once

#include "mees/cluster/detail/cluster_watch.hpp"
#include "mees/cluster/detail/command_channel.hpp"
#include "mees/cluster/detail/life_signs.hpp"
#include "mees/cluster/detail/master_signs.hpp"
#include "mees/cluster/detail/messages.hpp"
#include "mees/cluster/detail/mpi.hpp"
#include "mees/cluster/detail/node_queue.hpp"
#include "mees/cluster/detail/shared_memory.hpp"
#include "mees/cluster/runtime.hpp"
#include "mees/core/stop.hpp"
#include "mees/evaluation/evaluator.hpp"
#include "mees/qd/novelty_archive.hpp"

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mees {

/// The position of a rank among the others. Ranks are also counted node by node ("place"), so that
/// the ranks of a node have consecutive places.
struct Topology {
    int rank{0};
    int size{1};
    int node_rank{0};
    int node_size{1};
    int node{0};
    int nodes{1};
    int first_place{0};  ///< of this node

    [[nodiscard]] bool is_root() const { return rank == 0; }
    [[nodiscard]] bool is_leader() const { return node_rank == 0; }
    [[nodiscard]] int place() const { return first_place + node_rank; }
    /// Of this node: all ranks but rank 0.
    [[nodiscard]] int workers() const { return node == 0 ? node_size - 1 : node_size; }
    /// This rank's position among them.
    [[nodiscard]] int worker() const { return node == 0 ? node_rank - 1 : node_rank; }
};

/// Thrown on rank 0 where it waits: the run is to end, and a rank does not answer.
class NoAnswer : public std::exception {
  public:
    explicit NoAnswer(std::vector<LostEpisode> episodes) : episodes_{std::move(episodes)} {}

    [[nodiscard]] char const* what() const noexcept override { return "a rank does not answer"; }
    /// What it was running, if its process has ended.
    [[nodiscard]] std::vector<LostEpisode> const& episodes() const { return episodes_; }

  private:
    std::vector<LostEpisode> episodes_;
};

/// MPI and what this module's classes share of it: topology, command channel, reports to rank 0,
/// and rank 0's patience.
///
/// Nothing waits without a bound. Start-up that does not finish ends the process. Rank 0 watches
/// all others wherever it waits; after it has given one up it makes no MPI call but MPI_Abort. The
/// others notice that rank 0 is lost.
class Ranks {
  public:
    Ranks(int& argc, char**& argv);
    /// As `end(1)`, unless that was called; while an exception unwinds MPI is left as it is, and
    /// the launcher ends the other ranks.
    ~Ranks();
    Ranks(Ranks const&) = delete;
    Ranks& operator=(Ranks const&) = delete;

    /// Shuts all ranks down together. If one of them is given up or does not take part, or after
    /// an MPI failure, it does not return but ends all processes with this exit status.
    void end(int code) noexcept;

    [[nodiscard]] Topology const& topology() const { return topology_; }
    [[nodiscard]] std::string const& host() const { return host_; }
    [[nodiscard]] WaitPolicy wait_policy() const { return wait_policy_; }
    [[nodiscard]] CommandChannel& channel() { return *channel_; }
    /// The episodes of this node.
    [[nodiscard]] NodeQueue& queue() { return *queue_; }
    /// Rank 0: all ranks, by rank.
    [[nodiscard]] std::vector<RankInfo> const& infos() const { return infos_; }
    /// Rank 0: "rank 3 on host n7".
    [[nodiscard]] std::string name_of(int rank) const;
    /// Above 1 where many ranks share a core: bounds on waiting are multiplied by it.
    [[nodiscard]] double slowness() const;

    /// Others: the next command. Throws ShutdownRequested if it is the last.
    [[nodiscard]] Command next_command();
    /// Others, while they wait or work: gives a sign of life, forwards a signal to rank 0, an abort
    /// to this node. Ends the process if its leader has ended; on leaders, all processes if rank 0
    /// is lost.
    void poll();
    /// Others: shows which episodes this rank runs.
    [[nodiscard]] RunningEpisodes& running_episodes() { return sign_->episodes; }
    /// Others: reports an exception to rank 0; `where` completes "failed".
    void report(std::exception const& error, std::string const& where = {});

    /// Rank 0, wherever it waits: receives reports and signs of life. Throws WorkerLost for a rank
    /// that has ended or is silent, and NoAnswer some seconds after a stop request.
    void tend();
    /// Rank 0: from now on, waits end after a stop request, and call `while_waiting`.
    void attend(StopToken* stop, std::function<void()> while_waiting);
    /// The ranks that this one watches are expected to poll, so that a silent one is lost; or not.
    void expect_signs(bool expected);
    /// Rank 0: within `seconds` of `body`, waits throw NoAnswer.
    void within(double seconds, std::function<void()> const& body);
    /// Rank 0: an awaited answer arrived.
    void answered() { unanswered_ = 0; }
    /// Rank 0: some rank will never answer, because of `cause`.
    void give_up(std::exception_ptr cause);
    [[nodiscard]] bool gave_up() const { return cause_ != nullptr; }
    /// Rank 0, after an MPI failure: the rank that has ended meanwhile, if this node or the leader
    /// of another knows of one.
    [[nodiscard]] std::optional<WorkerLost> find_lost();
    /// Rank 0, in any thread: what to print if its main thread does not return from an MPI call.
    [[nodiscard]] std::string describe_stuck_call() const;
    /// Rank 0: throws the cause if a rank was given up.
    void require_all_ranks() const;

    /// Rank 0: the part of each other rank in a gather, by rank. Throws WorkerLost if none arrives
    /// for as long as start-up may take.
    void collect(std::vector<std::string>& parts);

    /// Rank 0: receives signals and failures that others have reported.
    void receive_reports();
    /// Rank 0: whether a failure has been reported.
    [[nodiscard]] bool failed() const { return failure_.has_value(); }
    /// Rank 0: throws the first reported failure as a ClusterError, if there is one.
    void throw_failure() const;

    /// Collective on the node: shared memory that exists until the shutdown.
    [[nodiscard]] SharedMemory const& share(std::int64_t bytes);

    MasterTiming timing;       ///< rank 0
    double waited{0};          ///< others: seconds without work
    double silence_limit{60};  ///< seconds; 0: none
    /// Others: for novelties. Rank 0: what the others have.
    std::optional<NoveltyArchive> archive;

  private:
    void start(int& argc, char**& argv);
    void connect();
    void find_topology();
    void open_queue();
    void show_life();
    void exchange_infos();
    void compare_infos() const;
    void shut_down();
    void await_processes() const;
    void report_node(double step);
    void watch_master(double step);
    void receive_suspect(int source);
    void receive_suspects_of_leaders();
    void judge(Suspect const& suspect);
    [[nodiscard]] std::vector<LostEpisode> lost_episodes(Suspect const& suspect) const;
    [[nodiscard]] WorkerLost lost(Suspect const& suspect) const;

    std::atomic<char const*> stage_{"starting"};
    Topology topology_;
    std::string host_;
    WaitPolicy wait_policy_;
    MPI_Comm node_{MPI_COMM_NULL};
    MPI_Comm leaders_{MPI_COMM_NULL};
    std::optional<CommandChannel> channel_;
    std::vector<SharedMemory> shared_;
    std::optional<NodeQueue> queue_;
    std::vector<RankInfo> infos_;
    std::optional<Failure> failure_;
    bool mpi_started_{false};
    bool ended_{false};
    bool shutdown_requested_{false};
    bool signal_forwarded_{false};

    LifeSign* sign_{nullptr};  ///< this rank's own
    AwakeClock clock_;
    double next_look_{0};                  ///< at which coarse_seconds()
    std::optional<NodeWatch> node_watch_;  ///< leaders other than rank 0
    bool reported_end_{false};
    std::string report_;  ///< on its way
    MPI_Request report_request_{MPI_REQUEST_NULL};
    double since_report_{0};

    MasterContact contact_;
    std::optional<MasterSigns> master_signs_;  ///< the rank that sends them
    MasterWatch master_watch_;                 ///< leaders other than rank 0
    bool awaits_command_{false};               ///< others

    std::optional<ClusterWatch> watch_;  ///< rank 0
    std::atomic<int> silent_rank_{-1};   ///< rank 0: the one silent for longest; -1: none is
    StopToken* stop_{nullptr};
    std::function<void()> while_waiting_;
    bool signs_expected_{false};
    double answer_limit_{0};  ///< seconds; 0: none unless a stop is requested
    double unanswered_{0};    ///< seconds for which rank 0 has waited although the run is to end
    double next_warning_{0};
    std::exception_ptr cause_;
};

}  // namespace mees
