#include "mees/navigation/way_points.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace mees {
namespace {

constexpr double unreachable = std::numeric_limits<double>::infinity();

std::int64_t cells_along(double lower, double upper, double cell)
{
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil((upper - lower) / cell)));
}

}  // namespace

WayPoints::WayPoints(Arena const& arena, GroundPoint const& target)
    : arena_{&arena},
      target_{target},
      columns_{
          cells_along(arena.settings().lower.x, arena.settings().upper.x, arena.settings().cell)},
      rows_{cells_along(arena.settings().lower.y, arena.settings().upper.y, arena.settings().cell)},
      lengths_(static_cast<std::size_t>(columns_ * rows_), unreachable),
      next_(lengths_.size())
{
    for (std::size_t i = 0; i < next_.size(); ++i) {
        next_[i] = static_cast<std::int64_t>(i);
    }
    search(cell_at(target));
}

std::int64_t WayPoints::cell_at(GroundPoint const& point) const
{
    auto const& arena = arena_->settings();
    auto const index = [&](double value, double lower, std::int64_t count) {
        return std::clamp<std::int64_t>(
            static_cast<std::int64_t>(std::floor((value - lower) / arena.cell)), 0, count - 1);
    };
    return index(point.y, arena.lower.y, rows_) * columns_
           + index(point.x, arena.lower.x, columns_);
}

/// The target stands for the centre of its cell.
GroundPoint WayPoints::centre(std::int64_t cell) const
{
    if (cell == cell_at(target_)) {
        return target_;
    }
    auto const& arena = arena_->settings();
    auto const column = cell % columns_;
    auto const row = cell / columns_;
    return {arena.lower.x + (static_cast<double>(column) + 0.5) * arena.cell,
            arena.lower.y + (static_cast<double>(row) + 0.5) * arena.cell};
}

void WayPoints::search(std::int64_t goal)
{
    using Entry = std::pair<double, std::int64_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    lengths_[static_cast<std::size_t>(goal)] = 0;
    open.emplace(0, goal);
    while (!open.empty()) {
        auto const [length, cell] = open.top();
        open.pop();
        if (length > lengths_[static_cast<std::size_t>(cell)]) {
            continue;
        }
        auto const here = centre(cell);
        for (std::int64_t row = cell / columns_ - 1; row <= cell / columns_ + 1; ++row) {
            for (std::int64_t column = cell % columns_ - 1; column <= cell % columns_ + 1;
                 ++column) {
                if (row < 0 || row >= rows_ || column < 0 || column >= columns_) {
                    continue;
                }
                auto const neighbour = row * columns_ + column;
                auto const there = centre(neighbour);
                auto& best = lengths_[static_cast<std::size_t>(neighbour)];
                double const longer = length + distance(here, there);
                if (longer < best && arena_->is_free(there, here)) {
                    best = longer;
                    next_[static_cast<std::size_t>(neighbour)] = cell;
                    open.emplace(longer, neighbour);
                }
            }
        }
    }
}

GroundPoint WayPoints::next(GroundPoint const& from) const
{
    auto const cell = static_cast<std::size_t>(cell_at(from));
    if (distance(from, target_) <= arena_->settings().cell || lengths_[cell] == unreachable) {
        return target_;
    }
    auto const first = next_[cell];
    auto const second = next_[static_cast<std::size_t>(first)];
    return arena_->is_free(from, centre(second)) ? centre(second) : centre(first);
}

double WayPoints::length(GroundPoint const& from) const
{
    return lengths_[static_cast<std::size_t>(cell_at(from))];
}

}  // namespace mees
