#include "mees/cluster/detail/cluster_watch.hpp"

namespace mees {

ClusterWatch::ClusterWatch(std::span<LifeSign const> own_node, std::vector<RankInfo> const& infos)
    : own_node_{own_node}
{
    for (auto const& info : infos) {
        if (info.leads_node && info.rank != 0) {
            nodes_.push_back({info.rank, 0, {}});
        }
    }
}

void ClusterWatch::heard(int leader, Suspect const& report)
{
    for (auto& node : nodes_) {
        if (node.leader == leader) {
            node.silent_seconds = 0;
            node.report = report;
        }
    }
}

Suspect ClusterWatch::look(double seconds)
{
    auto worst = own_node_.look(seconds);
    auto const consider = [&](Suspect const& suspect) {
        if (suspect.rank >= 0 && (worst.rank < 0 || worst.less_alarming_than(suspect))) {
            worst = suspect;
        }
    };
    for (auto& node : nodes_) {
        node.silent_seconds += seconds;
        consider(node.report);
        consider({.rank = node.leader,
                  .ended = 0,
                  .silent_seconds = node.silent_seconds,
                  .episodes = {}});
    }
    return worst;
}

void ClusterWatch::restart()
{
    own_node_.restart();
    for (auto& node : nodes_) {
        node.silent_seconds = 0;
        node.report = {};
    }
}

}  // namespace mees
