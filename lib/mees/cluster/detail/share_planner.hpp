#pragma once

#include <cstdint>

namespace mees {

/// Consecutive items (episodes) begin .. end - 1 for a node.
struct Share {
    std::int64_t begin{0};
    std::int64_t end{0};
    std::int64_t low{0};  ///< the node asks for the next share when this many items are left of it

    [[nodiscard]] bool empty() const { return begin == end; }
    [[nodiscard]] std::int64_t size() const { return end - begin; }
};

/// Decides how many items a node gets next, whose workers then take them one by one.
///
/// Items are handed out in order, in shares that decrease with what remains: no node is left with
/// much to do when the others have finished. Towards the end a node asks only when it has idle
/// workers, and gets what it does in a millisecond, or in the time in which rank 0 serves all
/// nodes. A share has an item for every idle worker of its node.
class SharePlanner {
  public:
    /// `workers` is the number of workers of all `nodes`. `expected_seconds` is an item's usual
    /// time, 0 if unknown; a worker has use for `together` items at once.
    SharePlanner(std::int64_t items, std::int64_t workers, std::int64_t nodes,
                 double expected_seconds, std::int64_t together = 1);

    /// For a node with `node_workers` workers that run `running` items; empty if none are left.
    [[nodiscard]] Share next(std::int64_t node_workers, std::int64_t running = 0);
    [[nodiscard]] bool exhausted() const { return given_ == items_; }
    [[nodiscard]] std::int64_t remaining() const { return items_ - given_; }

  private:
    [[nodiscard]] std::int64_t smallest(std::int64_t node_workers) const;
    [[nodiscard]] std::int64_t largest(std::int64_t node_workers) const;

    std::int64_t items_;
    std::int64_t workers_;
    std::int64_t nodes_;
    double expected_seconds_;
    std::int64_t together_;
    std::int64_t given_{0};
};

}  // namespace mees
