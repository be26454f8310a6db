#pragma once

#include "mees/cluster/detail/command_channel.hpp"
#include "mees/cluster/detail/messages.hpp"
#include "mees/cluster/detail/mpi.hpp"
#include "mees/cluster/detail/shared_memory.hpp"
#include "mees/cluster/runtime.hpp"

#include <cstdint>
#include <optional>
#include <string>
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
};

/// MPI and what this module's classes share of it: topology, command channel, reports to rank 0.
///
/// The destructor does not throw. It shuts all ranks down together; while an exception unwinds, or
/// after an MPI failure, it makes no collective call and leaves MPI as it is: the launcher then
/// ends the other ranks.
class Ranks {
  public:
    Ranks(int& argc, char**& argv);
    ~Ranks();
    Ranks(Ranks const&) = delete;
    Ranks& operator=(Ranks const&) = delete;

    [[nodiscard]] Topology const& topology() const { return topology_; }
    [[nodiscard]] std::string const& host() const { return host_; }
    [[nodiscard]] WaitPolicy wait_policy() const { return wait_policy_; }
    [[nodiscard]] CommandChannel& channel() { return *channel_; }
    /// Rank 0: all ranks, by rank.
    [[nodiscard]] std::vector<RankInfo> const& infos() const { return infos_; }

    /// Others: the next command. Throws ShutdownRequested if it is the last.
    [[nodiscard]] Command next_command();
    /// Others, while they wait or work: forwards a signal to rank 0, an abort to this node.
    void poll();
    /// Others: reports an exception to rank 0; `where` completes "failed".
    void report(std::exception const& error, std::string const& where = {});
    /// Rank 0: receives signals and failures that others have reported.
    void receive_reports();
    /// Rank 0: whether a failure has been reported.
    [[nodiscard]] bool failed() const { return failure_.has_value(); }
    /// Rank 0: throws the first reported failure as a ClusterError, if there is one.
    void throw_failure() const;

    /// Collective on the node: shared memory that exists until the shutdown.
    [[nodiscard]] SharedMemory const& share(std::int64_t bytes);

    MasterTiming timing;  ///< rank 0
    double waited{0};     ///< others: seconds without work

  private:
    void find_topology();
    void exchange_infos();
    void shut_down();
    void await_processes() const;

    Topology topology_;
    std::string host_;
    WaitPolicy wait_policy_;
    MPI_Comm node_{MPI_COMM_NULL};
    MPI_Comm leaders_{MPI_COMM_NULL};
    std::optional<CommandChannel> channel_;
    std::vector<SharedMemory> shared_;
    std::vector<RankInfo> infos_;
    std::optional<Failure> failure_;
    bool mpi_started_{false};
    bool shutdown_requested_{false};
    bool signal_forwarded_{false};
};

}  // namespace mees
