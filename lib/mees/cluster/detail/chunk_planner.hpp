#pragma once

#include <cstdint>

namespace mees {

/// Decides how many items (episodes) a free worker gets next, and whether it may have them queued
/// behind those it works on.
///
/// Items are handed out in order. Assignments are so small that no worker is left with much to do
/// when the others have finished; they hold several items only if an item takes less than a few
/// milliseconds, or if there are too many workers for rank 0 to serve them one item at a time.
/// Towards the end of a round nothing is queued: an item behind a long one would wait while other
/// workers are idle.
class ChunkPlanner {
  public:
    struct Chunk {
        std::int64_t begin{0};
        std::int64_t end{0};
        [[nodiscard]] bool empty() const { return begin == end; }
    };

    /// `expected_seconds` is an item's usual time, 0 if unknown; a worker has use for `together`
    /// items at once.
    ChunkPlanner(std::int64_t items, std::int64_t workers, double expected_seconds,
                 std::int64_t together = 1);

    /// For a worker that has nothing to do.
    [[nodiscard]] Chunk next();
    /// For a worker that is busy; empty if it is too late to queue anything.
    [[nodiscard]] Chunk next_queued();
    [[nodiscard]] bool exhausted() const { return given_ == items_; }
    [[nodiscard]] std::int64_t remaining() const { return items_ - given_; }

  private:
    [[nodiscard]] std::int64_t chunk_size() const;

    std::int64_t items_;
    std::int64_t workers_;
    std::int64_t smallest_;
    std::int64_t largest_;
    std::int64_t given_{0};
};

}  // namespace mees
