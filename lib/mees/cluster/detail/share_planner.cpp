#include "mees/cluster/detail/share_planner.hpp"

#include "mees/core/error.hpp"

#include <algorithm>

namespace mees {
namespace {

/// A share keeps its node busy for at most this long, so that results arrive steadily, and for at
/// least the second figure, so that messages take a small part of it.
constexpr double worthwhile_seconds = 200e-3;
constexpr double least_seconds = 1e-3;
/// And for at least this long for each node: rank 0 must have served all of them before the first
/// needs it again.
constexpr double seconds_per_node = 20e-6;
/// Each node's part of what remains is at least this many shares.
constexpr std::int64_t shares_left = 4;
/// When fewer items than this remain for each worker, only idle workers get some.
constexpr std::int64_t queued_above = 4;
/// If an item's time is unknown, the last shares hold one for every so many workers.
constexpr std::int64_t workers_per_unknown = 8;
/// For each worker: its results have to fit into the memory that it shares with its node.
constexpr std::int64_t most_items = 128;

/// The number of items that `workers` workers do in `seconds`.
std::int64_t items_in(double seconds, double expected_seconds, std::int64_t workers)
{
    auto const wanted = seconds / expected_seconds * static_cast<double>(workers);
    auto const most = most_items * workers;
    return wanted < static_cast<double>(most) ? static_cast<std::int64_t>(wanted) : most;
}

}  // namespace

SharePlanner::SharePlanner(std::int64_t items, std::int64_t workers, std::int64_t nodes,
                           double expected_seconds, std::int64_t together)
    : items_{items},
      workers_{workers},
      nodes_{nodes},
      expected_seconds_{expected_seconds},
      together_{together}
{
    expects(items >= 0 && workers > 0 && nodes > 0 && together > 0, "items for workers");
}

std::int64_t SharePlanner::smallest(std::int64_t node_workers) const
{
    double const seconds = std::max(least_seconds, seconds_per_node * static_cast<double>(nodes_));
    return std::max(together_, expected_seconds_ > 0
                                   ? items_in(seconds, expected_seconds_, node_workers)
                                   : node_workers / workers_per_unknown);
}

std::int64_t SharePlanner::largest(std::int64_t node_workers) const
{
    double const seconds =
        std::max(worthwhile_seconds, seconds_per_node * static_cast<double>(nodes_));
    return std::max(
        together_ * node_workers,
        expected_seconds_ > 0 ? items_in(seconds, expected_seconds_, node_workers) : node_workers);
}

Share SharePlanner::next(std::int64_t node_workers, std::int64_t running)
{
    expects(node_workers > 0 && node_workers <= workers_, "a node with workers");
    auto const parts = [&](std::int64_t shares) {
        return remaining() * node_workers / (shares * workers_);
    };
    auto const last = smallest(node_workers);
    auto const least = std::clamp<std::int64_t>(parts(2), 1, last);
    auto size = std::clamp(parts(shares_left), least, std::max(least, largest(node_workers)));
    bool const ending = remaining() <= queued_above * together_ * workers_;
    if (ending) {
        size = std::min(size, std::max(last, together_ * node_workers - running));
    }
    size = std::max(size, node_workers - running);  // idle workers begin at once
    auto const begin = given_;
    given_ = std::min(items_, given_ + size);
    return {.begin = begin, .end = given_, .low = ending || size <= last ? 0 : size / 2};
}

}  // namespace mees
