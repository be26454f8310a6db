#include "mees/report/heatmap.hpp"

#include "mees/core/error.hpp"
#include "mees/report/format.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mees {
namespace {

constexpr std::int64_t cvt_raster = 40;

/// Collects the values that fall onto each place.
class Collector {
  public:
    explicit Collector(Reduction reduction) : reduction_{reduction} {}

    void add(std::int64_t place, double value)
    {
        auto const [current, first] = values_.try_emplace(place, value);
        if (reduction_ == Reduction::best) {
            current->second = std::max(current->second, value);
        } else {
            current->second += first ? 0 : value;
            ++counts_[place];
        }
    }
    [[nodiscard]] std::map<std::int64_t, double> take()
    {
        for (auto const& [place, count] : counts_) {
            values_.at(place) /= static_cast<double>(count);
        }
        return std::move(values_);
    }

  private:
    Reduction reduction_;
    std::map<std::int64_t, double> values_;
    std::map<std::int64_t, std::int64_t> counts_;
};

HeatmapAxis axis_of(BehaviourSpace const& space, std::vector<std::string> const& names,
                    std::size_t axis)
{
    auto const shown = short_names(names);
    return {axis < shown.size() ? shown[axis] : fmt::format("bc {}", axis), space.lower()[axis],
            space.upper()[axis]};
}

std::int64_t place_on(BehaviourSpace const& space, Elite const& elite, CellId cell,
                      std::size_t axis)
{
    if (space.is_grid()) {
        return space.bins_of(cell)[axis];
    }
    double const share =
        (elite.bc[axis] - space.lower()[axis]) / (space.upper()[axis] - space.lower()[axis]);
    return std::clamp(static_cast<std::int64_t>(share * cvt_raster), std::int64_t{0},
                      cvt_raster - 1);
}

std::int64_t places_along(BehaviourSpace const& space, std::size_t axis)
{
    return space.is_grid() ? space.bins()[axis] : cvt_raster;
}

}  // namespace

Heatmap project(EliteMap const& map, std::vector<std::string> const& names, std::int64_t x_axis,
                std::int64_t y_axis, Reduction reduction, double Elite::*value)
{
    auto const& space = map.space();
    bool const flat = space.dimensions() == 1;
    expects(x_axis >= 0 && x_axis < space.dimensions(), "x axis of the map");
    expects(flat || (y_axis >= 0 && y_axis < space.dimensions()), "y axis of the map");
    auto const x = static_cast<std::size_t>(x_axis);
    auto const y = static_cast<std::size_t>(y_axis);
    Heatmap heatmap;
    heatmap.x = axis_of(space, names, x);
    heatmap.columns = places_along(space, x);
    heatmap.rows = 1;
    if (!flat) {
        heatmap.y = axis_of(space, names, y);
        heatmap.rows = places_along(space, y);
    }
    Collector collector{reduction};
    for (auto const& [cell, elite] : map.elites()) {
        auto const column = place_on(space, elite, cell, x);
        auto const row = flat ? 0 : place_on(space, elite, cell, y);
        collector.add(row * heatmap.columns + column, elite.*value);
    }
    heatmap.values = collector.take();
    return heatmap;
}

Heatmap project_nested(EliteMap const& map, std::vector<std::string> const& names,
                       std::vector<std::int64_t> const& inner,
                       std::vector<std::int64_t> const& outer, double Elite::*value)
{
    auto const& space = map.space();
    expects(space.is_grid(), "a grid");
    expects(inner.size() == 2 && (outer.size() == 1 || outer.size() == 2), "three or four axes");
    auto const index = [](std::int64_t axis) { return static_cast<std::size_t>(axis); };
    auto const outer_bins = [&](std::size_t i) {
        return i < outer.size() ? space.bins()[index(outer[i])] : 1;
    };
    Heatmap heatmap{.x = axis_of(space, names, index(inner[0])),
                    .y = axis_of(space, names, index(inner[1]))};
    heatmap.block_columns = space.bins()[index(inner[0])];
    heatmap.block_rows = space.bins()[index(inner[1])];
    heatmap.columns = heatmap.block_columns * outer_bins(0);
    heatmap.rows = heatmap.block_rows * outer_bins(1);
    Collector collector{Reduction::best};
    for (auto const& [cell, elite] : map.elites()) {
        auto const bins = space.bins_of(cell);
        auto const place = [&](std::size_t i, std::int64_t block) {
            auto const coarse = i < outer.size() ? bins[index(outer[i])] : 0;
            return coarse * block + bins[index(inner[i])];
        };
        collector.add(
            place(1, heatmap.block_rows) * heatmap.columns + place(0, heatmap.block_columns),
            elite.*value);
    }
    heatmap.values = collector.take();
    return heatmap;
}

Heatmap shrink(Heatmap const& heatmap, std::int64_t across, std::int64_t up)
{
    expects(across >= 1 && up >= 1, "blocks of at least one place");
    auto small = heatmap;
    small.columns = (heatmap.columns + across - 1) / across;
    small.rows = (heatmap.rows + up - 1) / up;
    Collector collector{Reduction::best};
    for (auto const& [place, value] : heatmap.values) {
        auto const row = place / heatmap.columns;
        auto const column = place % heatmap.columns;
        collector.add(row / up * small.columns + column / across, value);
    }
    small.values = collector.take();
    return small;
}

}  // namespace mees
