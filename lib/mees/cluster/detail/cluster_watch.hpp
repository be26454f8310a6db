#pragma once

#include "mees/cluster/detail/life_signs.hpp"
#include "mees/cluster/detail/messages.hpp"

#include <vector>

namespace mees {

/// Rank 0's view of all other ranks: those of its node directly, those of other nodes through what
/// their leaders report about once a second.
class ClusterWatch {
  public:
    ClusterWatch(std::span<LifeSign const> own_node, std::vector<RankInfo> const& infos);

    /// A leader has reported its node's most alarming rank.
    void heard(int leader, Suspect const& report);
    /// Adds `seconds` to the silence of the ranks that were not heard of since the last call;
    /// returns the most alarming one.
    [[nodiscard]] Suspect look(double seconds);
    /// Starts to count again.
    void restart();

  private:
    struct Node {
        int leader{0};
        double silent_seconds{0};
        Suspect report;
    };

    NodeWatch own_node_;
    std::vector<Node> nodes_;  ///< the others
};

}  // namespace mees
