#pragma once

#include "mees/core/error.hpp"

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mees {

class Ranks;

/// Thrown on the other ranks when rank 0 ends: the program ends there too, silently and with
/// success, because rank 0 reports to the user.
class ShutdownRequested : public std::exception {
  public:
    [[nodiscard]] char const* what() const noexcept override { return "shutdown by rank 0"; }
};

/// Where rank 0's time went, in seconds, and how many messages it handled. The rest is the search's
/// own: ranks, novelty, optimiser, map.
struct MasterTiming {
    double sending{0};      ///< writing batches and sending them to the nodes
    double dispatching{0};  ///< handing out episodes
    double receiving{0};    ///< receiving replies
    double storing{0};      ///< copying them into the result
    double waiting{0};      ///< nothing to do
    double summing{0};      ///< weighted sums of noise, from the request to the result
    double comparing{0};    ///< novelties, the same
    std::int64_t messages{0};

    MasterTiming& operator-=(MasterTiming const& other)
    {
        sending -= other.sending;
        dispatching -= other.dispatching;
        receiving -= other.receiving;
        storing -= other.storing;
        waiting -= other.waiting;
        summing -= other.summing;
        comparing -= other.comparing;
        messages -= other.messages;
        return *this;
    }
};

/// MPI from its start to its end, and the operations that all ranks take part in.
///
/// Works the same without mpirun: rank 0 of 1. Refuses to start as one of many singletons (a
/// launcher that started N processes which do not see each other). A rank whose launcher dies ends
/// within a second. Use only from the thread that constructed it.
class ClusterRuntime {
  public:
    ClusterRuntime(int& argc, char**& argv);
    ~ClusterRuntime();
    ClusterRuntime(ClusterRuntime const&) = delete;
    ClusterRuntime& operator=(ClusterRuntime const&) = delete;

    [[nodiscard]] int rank() const;
    [[nodiscard]] int size() const;
    [[nodiscard]] bool is_master() const { return rank() == 0; }
    [[nodiscard]] int nodes() const;
    [[nodiscard]] std::string const& host() const;

    /// Collective: all ranks get rank 0's string. Throws ShutdownRequested on the others if rank 0
    /// failed before this call.
    [[nodiscard]] std::string broadcast(std::string text);

    /// Collective: rank 0 gets the strings of all ranks, by rank; the others get none, and return
    /// when rank 0 has all. Throws ClusterError on rank 0, and ShutdownRequested on the others, if
    /// one of them failed before this call.
    [[nodiscard]] std::vector<std::string> gather(std::string text);

    /// Collective: returns once every rank has called it. Throws as `gather`.
    void barrier() { (void)gather({}); }

    /// To be called on all ranks. A rank that gives no sign of life for this many seconds ends
    /// `evaluate` with a WorkerLost; a node that hears nothing of rank 0 for more than twice as
    /// long ends all processes that it can reach. 0: never.
    void set_silence_limit(double seconds);

    /// Rank 0: its own time since the start.
    [[nodiscard]] MasterTiming const& master_timing() const;

    /// For this module.
    [[nodiscard]] Ranks& ranks() { return *ranks_; }

  private:
    std::unique_ptr<Ranks> ranks_;
};

/// The complete main() of a parallel program: starts MPI, runs `body` on every rank, reports what
/// it throws as "program: error: ...", and ends MPI.
///
/// The result is the exit status: on rank 0 that of `body` or of the Error it threw, on all others
/// 0. Whatever rank 0 throws, the others are released from wherever they wait. What another rank
/// throws is reported to rank 0, where it appears as a ClusterError that names rank and host. After
/// an MPI failure all ranks are aborted.
[[nodiscard]] int run_on_cluster(std::string_view program, int argc, char** argv,
                                 std::function<ExitCode(ClusterRuntime&)> const& body);

/// This process's rank as given by its launcher, before MPI has started; 0 without a launcher. For
/// messages that only one rank should print.
[[nodiscard]] int rank_from_environment();

/// "Open MPI 4.1.4", "MPICH 4.0.2"; callable before MPI has started.
[[nodiscard]] std::string mpi_library_version();

}  // namespace mees
