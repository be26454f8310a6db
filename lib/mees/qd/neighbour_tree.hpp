#pragma once

#include "mees/qd/few_smallest.hpp"
#include "mees/qd/k_smallest.hpp"
#include "mees/qd/nearest_points.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace mees {

/// A k-d tree over points that finds the squared distances to the nearest of them.
///
/// A distance is summed over the axes in order, as a loop over all points would do it, and a branch
/// is left out only if it cannot hold a smaller one however sums are rounded: the result is
/// bit-identical to that of such a loop.
class NeighbourTree {
  public:
    /// `points` is row-major and not kept.
    NeighbourTree(std::span<double const> points, std::int64_t dimensions);

    [[nodiscard]] std::int64_t size() const { return count_; }

    /// Offers the squared distance of every point that could matter to `nearest`.
    /// `Nearest` is KSmallest, FewSmallest or NearestPoints.
    template <class Nearest>
    void search(std::span<double const> point, Nearest& nearest) const;

  private:
    static constexpr std::int64_t leaf_capacity = 24;

    /// The left child follows its parent; a leaf has no right one.
    struct Node {
        std::int32_t right{0};
        std::int32_t leaf{0};
        [[nodiscard]] bool is_leaf() const { return right == 0; }
    };

    void build(std::span<double const> points, std::span<std::int32_t> order);
    void add_box(std::span<double const> points, std::span<std::int32_t const> order);
    void add_leaf(std::span<double const> points, std::span<std::int32_t const> order);
    template <int Dimensions>
    [[nodiscard]] double distance_to_box(std::int32_t node, double const* point) const;
    template <int Dimensions, class Nearest>
    void visit(std::int32_t node, double const* point, Nearest& nearest) const;
    template <int Dimensions, class Nearest>
    void scan(std::int32_t leaf, double const* point, Nearest& nearest) const;

    std::int64_t dimensions_;
    std::int64_t count_;
    std::vector<Node> nodes_;
    std::vector<double> boxes_;          ///< per node: lower bounds, then upper bounds
    std::vector<double> leaves_;         ///< per leaf: axis by axis, filled up with infinities
    std::vector<std::int32_t> indices_;  ///< per leaf: its points' rows, filled up with 0
};

}  // namespace mees
