#pragma once

#include "mees/cluster/command_channel.hpp"
#include "mees/cluster/messages.hpp"
#include "mees/cluster/mpi.hpp"
#include "mees/cluster/runtime.hpp"
#include "mees/cluster/shared_memory.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mees {

/// Where a rank stands among the others. Ranks are also counted node by node ("place"), so that the
/// ranks of a node have consecutive places.
struct Topology {
    int rank{0};
    int size{1};
    int node_rank{0};
    int node_size{1};
    int node{0};
    int nodes{1};
    int first_place{0};  ///< of this node

    [[nodiscard]] bool is_leader() const { return node_rank == 0; }
    [[nodiscard]] int place() const { return first_place + node_rank; }
};

/// What the cluster's classes share: communicators, the command channel, the mail.
struct ClusterRuntime::Impl {
    Impl(int& argc, char**& argv);
    ~Impl();
    Impl(Impl const&) = delete;
    Impl& operator=(Impl const&) = delete;

    /// Others: the next command. Throws Dismissed when it is the last.
    [[nodiscard]] Command receive();
    /// Others, while they wait or work: passes on what cannot wait (a signal, an abort).
    void poll();
    /// Rank 0: notes signals and failures that others have reported.
    void read_mail();
    /// Rank 0: throws the first failure that was reported, if any.
    void throw_failure() const;
    /// Others: tells rank 0 what went wrong.
    void report(Failure const& failure);
    [[nodiscard]] Failure failure_here(std::exception const& exception,
                                       std::string const& where = {}) const;
    /// Waits for a transfer without burning a core.
    void complete(MPI_Request& request);

    Topology topology;
    std::string host;
    WaitPolicy wait_policy;
    MPI_Comm node{MPI_COMM_NULL};
    MPI_Comm leaders{MPI_COMM_NULL};
    std::optional<CommandChannel> channel;
    std::vector<SharedMemory> kept;           ///< freed when everybody leaves
    std::vector<Introduction> introductions;  ///< rank 0: of all ranks, by rank
    std::optional<Failure> failure;           ///< rank 0: the first one reported
    MasterTiming timing;                      ///< rank 0
    double waited{0};                         ///< seconds in `receive`

  private:
    void find_place();
    void introduce();
    void say_goodbye();
    void await_processes() const;

    bool mpi_started_{false};
    bool dismissed_{false};
    bool signal_passed_on_{false};
};

}  // namespace mees
