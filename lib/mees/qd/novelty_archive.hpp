#pragma once

#include "mees/config/choices.hpp"
#include "mees/qd/k_smallest.hpp"
#include "mees/qd/neighbour_tree.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace mees {

struct NoveltySettings {
    std::int64_t k{10};
    NoveltyMetric metric{NoveltyMetric::euclidean};
    std::int64_t window{0};  ///< only this many entries, the last, count; 0: all

    friend bool operator==(NoveltySettings const&, NoveltySettings const&) = default;
};

[[nodiscard]] double squared_distance(std::span<double const> a, std::span<double const> b);
/// Novelty from the squared distances to the nearest, ascending.
[[nodiscard]] double mean_distance(std::span<double const> squared_distances, NoveltyMetric metric);

/// A tree over some of the first entries of an archive, shared by the archive's copies. Safe to
/// read and to replace from several threads.
class TreeCache {
  public:
    TreeCache() = default;
    TreeCache(TreeCache const& other) : tree_{other.tree_.load()} {}
    TreeCache& operator=(TreeCache const& other)
    {
        tree_.store(other.tree_.load());
        return *this;
    }
    ~TreeCache() = default;

    [[nodiscard]] std::shared_ptr<NeighbourTree const> get() const { return tree_.load(); }
    void set(std::shared_ptr<NeighbourTree const> tree) const { tree_.store(std::move(tree)); }

  private:
    mutable std::atomic<std::shared_ptr<NeighbourTree const>> tree_;
};

/// The BCs of all past theta_g, in order of generation, and the novelty of a BC among them (or the
/// last of them): its mean distance (or squared distance) to its k nearest entries, fewer while
/// there are fewer, 0 while there are none. The result is bit-identical however the neighbours are
/// found.
class NoveltyArchive {
  public:
    NoveltyArchive(std::int64_t dimensions, NoveltySettings settings);

    void add(std::span<double const> bc);

    [[nodiscard]] std::int64_t size() const { return count_; }
    /// The first entry that counts.
    [[nodiscard]] std::int64_t first() const
    {
        return settings_.window == 0 ? 0 : std::max<std::int64_t>(0, count_ - settings_.window);
    }
    [[nodiscard]] std::int64_t dimensions() const { return dimensions_; }
    [[nodiscard]] std::span<double const> entry(std::int64_t index) const;
    /// All entries, row-major.
    [[nodiscard]] std::span<double const> entries() const { return points_; }

    [[nodiscard]] NoveltySettings settings() const { return settings_; }

    /// Squared distances to the k nearest entries. `left_out` is the entry that is not a neighbour.
    [[nodiscard]] KSmallest nearest(std::span<double const> bc,
                                    std::optional<std::int64_t> left_out = std::nullopt) const;
    /// `left_out` is the entry that is not its own neighbour.
    [[nodiscard]] double novelty(std::span<double const> bc,
                                 std::optional<std::int64_t> left_out = std::nullopt) const;
    /// Novelty of each row of `bcs`.
    [[nodiscard]] std::vector<double> novelties(std::span<double const> bcs) const;
    /// Novelty of rows `first` .. `first` + result.size() - 1 of `bcs`, for processes that share
    /// the rows.
    void novelties(std::span<double const> bcs, std::int64_t first, std::span<double> result) const;

  private:
    [[nodiscard]] std::shared_ptr<NeighbourTree const> tree_for(std::int64_t queries) const;
    template <class Nearest>
    void answer(std::span<double const> bcs, NeighbourTree const* tree,
                std::span<double> result) const;

    std::int64_t dimensions_;
    NoveltySettings settings_;
    std::int64_t count_{0};
    std::vector<double> points_;
    TreeCache tree_;
};

}  // namespace mees
