#include "mees/qd/neighbour_tree.hpp"

#include "mees/core/error.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <type_traits>

namespace mees {
namespace {

/// Sums of squares that are rounded in another order differ by far less than this.
constexpr double rounding_slack = 1 - 1e-12;

template <int Dimensions>
using Vector = Eigen::Map<Eigen::Array<double, Dimensions, 1> const>;

}  // namespace

NeighbourTree::NeighbourTree(std::span<double const> points, std::int64_t dimensions)
    : dimensions_{dimensions}, count_{static_cast<std::int64_t>(points.size()) / dimensions}
{
    expects(count_ < std::numeric_limits<std::int32_t>::max(), "points in 31 bits");
    if (count_ > 0) {
        std::vector<std::int32_t> order(static_cast<std::size_t>(count_));
        std::iota(order.begin(), order.end(), 0);
        build(points, order);
    }
}

void NeighbourTree::add_box(std::span<double const> points, std::span<std::int32_t const> order)
{
    auto const begin = boxes_.size();
    auto const size = static_cast<std::size_t>(dimensions_);
    boxes_.resize(begin + size, std::numeric_limits<double>::infinity());
    boxes_.resize(begin + 2 * size, -std::numeric_limits<double>::infinity());
    for (auto const i : order) {
        for (std::size_t axis = 0; axis < size; ++axis) {
            double const value = points[static_cast<std::size_t>(i) * size + axis];
            auto& lower = boxes_[begin + axis];
            auto& upper = boxes_[begin + size + axis];
            lower = std::min(lower, value);
            upper = std::max(upper, value);
        }
    }
}

void NeighbourTree::add_leaf(std::span<double const> points, std::span<std::int32_t const> order)
{
    auto const size = static_cast<std::size_t>(dimensions_);
    auto const begin = leaves_.size();
    leaves_.resize(begin + size * leaf_capacity, std::numeric_limits<double>::infinity());
    indices_.insert(indices_.end(), order.begin(), order.end());
    indices_.resize(leaves_.size() / size, 0);
    for (std::size_t i = 0; i < order.size(); ++i) {
        for (std::size_t axis = 0; axis < size; ++axis) {
            leaves_[begin + axis * leaf_capacity + i] =
                points[static_cast<std::size_t>(order[i]) * size + axis];
        }
    }
}

void NeighbourTree::build(std::span<double const> points, std::span<std::int32_t> order)
{
    auto const node = nodes_.size();
    nodes_.emplace_back();
    add_box(points, order);
    auto const count = static_cast<std::int64_t>(order.size());
    if (count <= leaf_capacity) {
        nodes_[node].leaf = static_cast<std::int32_t>(
            leaves_.size() / static_cast<std::size_t>(leaf_capacity * dimensions_));
        add_leaf(points, order);
        return;
    }
    auto const size = static_cast<std::size_t>(dimensions_);
    auto const* box = boxes_.data() + 2 * node * size;
    std::size_t widest = 0;
    for (std::size_t axis = 1; axis < size; ++axis) {
        if (box[size + axis] - box[axis] > box[size + widest] - box[widest]) {
            widest = axis;
        }
    }
    // Complete leaves to the left, so that all but one are full.
    auto const leaves = (count + leaf_capacity - 1) / leaf_capacity;
    auto const middle = leaves / 2 * leaf_capacity;
    std::ranges::nth_element(order, order.begin() + middle, {}, [&](std::int32_t i) {
        return points[static_cast<std::size_t>(i) * size + widest];
    });
    build(points, order.first(static_cast<std::size_t>(middle)));
    nodes_[node].right = static_cast<std::int32_t>(nodes_.size());
    build(points, order.subspan(static_cast<std::size_t>(middle)));
}

template <int Dimensions>
[[gnu::always_inline]] inline double NeighbourTree::distance_to_box(std::int32_t node,
                                                                    double const* point) const
{
    double const* box = boxes_.data() + 2 * node * dimensions_;
    Vector<Dimensions> const lower{box, dimensions_};
    Vector<Dimensions> const upper{box + dimensions_, dimensions_};
    Vector<Dimensions> const here{point, dimensions_};
    return (lower - here).max(here - upper).max(0.0).square().sum();
}

template <int Dimensions, class Nearest>
void NeighbourTree::scan(std::int32_t leaf, double const* point, Nearest& nearest) const
{
    double const* coordinates = leaves_.data() + leaf * leaf_capacity * dimensions_;
    using Leaf = Eigen::Array<double, leaf_capacity, 1>;
    auto const dimensions = Dimensions == Eigen::Dynamic ? dimensions_ : Dimensions;
    Leaf squared = (point[0] - Eigen::Map<Leaf const>{coordinates}).square();
    for (std::int64_t axis = 1; axis < dimensions; ++axis) {
        squared +=
            (point[axis] - Eigen::Map<Leaf const>{coordinates + axis * leaf_capacity}).square();
    }
    if (squared.minCoeff() < nearest.threshold()) {
        std::span<double const, leaf_capacity> const distances{squared.data(), leaf_capacity};
        if constexpr (std::is_same_v<Nearest, NearestPoints>) {
            nearest.offer(distances, indices_.data() + leaf * leaf_capacity);
        } else {
            nearest.offer(distances);
        }
    }
}

template <int Dimensions, class Nearest>
void NeighbourTree::visit(std::int32_t node, double const* point, Nearest& nearest) const
{
    auto const& here = nodes_[static_cast<std::size_t>(node)];
    if (here.is_leaf()) {
        scan<Dimensions>(here.leaf, point, nearest);
        return;
    }
    auto near = node + 1;
    auto far = here.right;
    double near_bound = distance_to_box<Dimensions>(near, point);
    double far_bound = distance_to_box<Dimensions>(far, point);
    if (far_bound < near_bound) {
        std::swap(near, far);
        std::swap(near_bound, far_bound);
    }
    if (near_bound * rounding_slack < nearest.threshold()) {
        visit<Dimensions>(near, point, nearest);
    }
    if (far_bound * rounding_slack < nearest.threshold()) {
        visit<Dimensions>(far, point, nearest);
    }
}

template <class Nearest>
void NeighbourTree::search(std::span<double const> point, Nearest& nearest) const
{
    if (count_ == 0) {
        return;
    }
    switch (dimensions_) {
        case 2:
            return visit<2>(0, point.data(), nearest);
        case 4:
            return visit<4>(0, point.data(), nearest);
        default:
            return visit<Eigen::Dynamic>(0, point.data(), nearest);
    }
}

template void NeighbourTree::search(std::span<double const>, KSmallest&) const;
template void NeighbourTree::search(std::span<double const>, FewSmallest&) const;
template void NeighbourTree::search(std::span<double const>, NearestPoints&) const;

}  // namespace mees
