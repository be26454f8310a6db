#pragma once

#include "mees/cluster/detail/mpi.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace mees {

/// How the leaders of other nodes hear of rank 0.
struct MasterContact {
    std::string host;          ///< leaders: that of rank 0
    int sender{0};             ///< leaders: the rank that sends them signs of rank 0
    std::vector<int> leaders;  ///< of other nodes; on that rank
    bool sends{false};         ///< this rank is the sender
};

/// Collective. `node` and `leaders` as in CommandChannel.
[[nodiscard]] MasterContact contact_master(MPI_Comm node, MPI_Comm leaders, bool first_node,
                                           std::string const& own_host);

/// A message to the leaders of other nodes: rank 0's process exists, or it has ended.
struct MasterSign {
    std::uint32_t ended{0};
};

/// Sends a MasterSign to the leaders of other nodes every two seconds.
///
/// The sender is another rank of rank 0's node, which polls whatever rank 0 does: rank 0 may be
/// stopped, or busy with an update of the search. Where it is alone on its node it sends itself,
/// whenever it waits. Never blocks, but MPI may; ignores failures of MPI: it is for rank 0 to
/// notice lost leaders.
class MasterSigns {
  public:
    explicit MasterSigns(std::vector<int> const& leaders);

    /// `now` as coarse_seconds gives it.
    void tend(double now);
    /// Rank 0 has ended; waits until that is sent, but not for long.
    void announce_end();

  private:
    struct Leader {
        int rank{0};
        MPI_Request request{MPI_REQUEST_NULL};
    };

    std::vector<Leader> leaders_;
    double next_{0};
};

/// A leader's view of rank 0.
class MasterWatch {
  public:
    enum class Verdict : std::uint8_t { lives, silent, ended };

    void heard(MasterSign const& sign);
    /// Starts to count again.
    void restart() { silent_seconds_ = 0; }
    /// Adds `seconds` to the silence of rank 0, if signs are `due`. It is lost after `patience`
    /// (0: never), or some seconds after the end of its process, which its launcher should notice
    /// first.
    [[nodiscard]] Verdict look(double seconds, bool due, double patience);
    [[nodiscard]] double silent_seconds() const { return silent_seconds_; }

  private:
    double silent_seconds_{0};
    double seconds_since_end_{0};
    bool ended_{false};
};

/// Receives the signs that have arrived from that rank; ignores failures of MPI.
void receive_signs(int sender, MasterWatch& watch);

}  // namespace mees
