#include "mees/qd/novelty_archive.hpp"

#include "mees/core/error.hpp"

#include <cmath>

namespace mees {
namespace {

/// With fewer entries or fewer queries, a search without a tree is faster.
constexpr std::int64_t worth_a_tree = 64;
/// A tree is rebuilt when it lacks more than one in this many entries.
constexpr std::int64_t entries_per_lacking = 256;

double distance(double squared, NoveltyMetric metric)
{
    switch (metric) {
        case NoveltyMetric::euclidean:
            return std::sqrt(squared);
        case NoveltyMetric::squared:
            break;
    }
    return squared;
}

}  // namespace

double squared_distance(std::span<double const> a, std::span<double const> b)
{
    double squared = 0;
    for (std::size_t axis = 0; axis < a.size(); ++axis) {
        double const difference = a[axis] - b[axis];
        squared += difference * difference;
    }
    return squared;
}

double mean_distance(std::span<double const> squared_distances, NoveltyMetric metric)
{
    if (squared_distances.empty()) {
        return 0;
    }
    double sum = 0;
    for (double const squared : squared_distances) {
        sum += distance(squared, metric);
    }
    return sum / static_cast<double>(squared_distances.size());
}

NoveltyArchive::NoveltyArchive(std::int64_t dimensions, NoveltySettings settings)
    : dimensions_{dimensions}, settings_{settings}
{
    expects(dimensions > 0 && settings.k > 0 && settings.window >= 0, "dimensions and neighbours");
}

void NoveltyArchive::add(std::span<double const> bc)
{
    expects(static_cast<std::int64_t>(bc.size()) == dimensions_,
            "a BC of the archive's dimensions");
    points_.insert(points_.end(), bc.begin(), bc.end());
    ++count_;
}

std::span<double const> NoveltyArchive::entry(std::int64_t index) const
{
    return std::span{points_}.subspan(static_cast<std::size_t>(index * dimensions_),
                                      static_cast<std::size_t>(dimensions_));
}

KSmallest NoveltyArchive::nearest(std::span<double const> bc,
                                  std::optional<std::int64_t> left_out) const
{
    KSmallest nearest{settings_.k};
    for (auto i = first(); i < count_; ++i) {
        if (left_out != i) {
            nearest.offer(squared_distance(bc, entry(i)));
        }
    }
    return nearest;
}

double NoveltyArchive::novelty(std::span<double const> bc,
                               std::optional<std::int64_t> left_out) const
{
    return mean_distance(nearest(bc, left_out).values(), settings_.metric);
}

/// A tree of the entries from `first` on that lacks so few of them that those are searched one by
/// one; none for a small archive.
std::shared_ptr<NeighbourTree const> NoveltyArchive::tree_for(std::int64_t queries) const
{
    if (first() > 0) {
        // Entries leave the window with every addition: no tree is of use twice.
        auto const left =
            std::span{points_}.subspan(static_cast<std::size_t>(first() * dimensions_));
        return queries >= worth_a_tree ? std::make_shared<NeighbourTree const>(left, dimensions_)
                                       : nullptr;
    }
    auto tree = tree_.get();
    auto const lacking = count_ - (tree ? tree->size() : 0);
    if (lacking > count_ / entries_per_lacking && count_ >= worth_a_tree
        && queries >= worth_a_tree) {
        tree = std::make_shared<NeighbourTree const>(points_, dimensions_);
        tree_.set(tree);
    }
    return tree;
}

template <class Nearest>
void NoveltyArchive::answer(std::span<double const> bcs, NeighbourTree const* tree,
                            std::span<double> result) const
{
    auto const size = static_cast<std::size_t>(dimensions_);
    Nearest nearest{settings_.k};
    for (std::size_t i = 0; i < result.size(); ++i) {
        auto const bc = bcs.subspan(i * size, size);
        nearest.clear();
        if (tree != nullptr) {
            tree->search(bc, nearest);
        }
        for (auto lacking = first() + (tree != nullptr ? tree->size() : 0); lacking < count_;
             ++lacking) {
            nearest.offer(squared_distance(bc, entry(lacking)));
        }
        result[i] = mean_distance(nearest.values(), settings_.metric);
    }
}

std::vector<double> NoveltyArchive::novelties(std::span<double const> bcs) const
{
    std::vector<double> result(bcs.size() / static_cast<std::size_t>(dimensions_));
    novelties(bcs, 0, result);
    return result;
}

void NoveltyArchive::novelties(std::span<double const> bcs, std::int64_t first,
                               std::span<double> result) const
{
    expects((first + std::ssize(result)) * dimensions_ <= std::ssize(bcs), "rows of the BCs");
    auto const tree = tree_for(std::ssize(bcs) / dimensions_);
    auto const rows = bcs.subspan(static_cast<std::size_t>(first * dimensions_));
    if (settings_.k <= FewSmallest::most) {
        answer<FewSmallest>(rows, tree.get(), result);
    } else {
        answer<KSmallest>(rows, tree.get(), result);
    }
}

}  // namespace mees
