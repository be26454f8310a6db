#include "mees/cluster/detail/chunk_planner.hpp"

#include "mees/core/error.hpp"

#include <algorithm>

namespace mees {
namespace {

/// An assignment should take this long, so that messages and waking up take a small part of it;
/// towards the end of a batch less, but never less than the second figure.
constexpr double worthwhile_seconds = 20e-3;
constexpr double least_seconds = 1e-3;
/// And at least this long for each worker: rank 0 must have served all of them before the first
/// needs it again.
constexpr double seconds_per_worker = 20e-6;
/// Each worker's share of what remains is at least this many assignments.
constexpr std::int64_t assignments_left = 4;
/// Nothing is queued when fewer items than this remain for each worker.
constexpr std::int64_t queued_above = 4;
constexpr std::int64_t most_items = 256;

/// The number of items that take `seconds`.
std::int64_t items_in(double seconds, double expected_seconds)
{
    if (expected_seconds <= 0) {
        return 1;
    }
    auto const wanted = seconds / expected_seconds;
    return std::clamp<std::int64_t>(
        static_cast<std::int64_t>(std::min(wanted, static_cast<double>(most_items))), 1,
        most_items);
}

}  // namespace

ChunkPlanner::ChunkPlanner(std::int64_t items, std::int64_t workers, double expected_seconds,
                           std::int64_t together)
    : items_{items},
      workers_{workers},
      smallest_{std::max(together, items_in(least_seconds, expected_seconds))},
      largest_{std::max(
          together,
          items_in(std::max(worthwhile_seconds, seconds_per_worker * static_cast<double>(workers)),
                   expected_seconds))}
{
    expects(items >= 0 && workers > 0, "items for workers");
}

std::int64_t ChunkPlanner::chunk_size() const
{
    auto const fair = remaining() / (assignments_left * workers_);
    auto const least = std::clamp<std::int64_t>(remaining() / (2 * workers_), 1, smallest_);
    return std::clamp(fair, least, std::max(least, largest_));
}

ChunkPlanner::Chunk ChunkPlanner::next()
{
    auto const begin = given_;
    given_ = std::min(items_, given_ + chunk_size());
    return {begin, given_};
}

ChunkPlanner::Chunk ChunkPlanner::next_queued()
{
    if (remaining() <= queued_above * workers_) {
        return {given_, given_};
    }
    return next();
}

}  // namespace mees
