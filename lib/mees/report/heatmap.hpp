#pragma once

#include "mees/qd/elite_map.hpp"
#include "mees/report/terminal.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mees {

struct HeatmapAxis {
    std::string name;
    double lower{0};
    double upper{1};
};

/// An image of a map: one value, or none, per column and row. Row 0 is the lowest. Only the values
/// that exist are stored: a map may have far more cells than memory.
struct Heatmap {
    HeatmapAxis x;
    HeatmapAxis y;
    std::int64_t columns{0};
    std::int64_t rows{0};
    std::map<std::int64_t, double> values;  ///< by row * columns + column
    /// In a nested heatmap, the columns and rows of each inner heatmap; 0: not nested.
    std::int64_t block_columns{0};
    std::int64_t block_rows{0};

    [[nodiscard]] std::optional<double> at(std::int64_t column, std::int64_t row) const
    {
        auto const found = values.find(row * columns + column);
        return found == values.end() ? std::nullopt : std::optional{found->second};
    }
};

/// How the cells that share one pixel are reduced to one value.
enum class Reduction { best, mean };

/// The map along two of its axes, the others reduced; a map with one axis has a single row. A CVT
/// map is drawn at the BCs of its elites, on a raster of 40 by 40. `names` are the names of the
/// BC's dimensions; a missing name becomes "bc N".
[[nodiscard]] Heatmap project(EliteMap const& map, std::vector<std::string> const& names,
                              std::int64_t x_axis = 0, std::int64_t y_axis = 1,
                              Reduction reduction = Reduction::best,
                              double Elite::*value = &Elite::fitness);

/// A nested heatmap: each place of a coarse grid over the axes `outer` (one or two) shows the map
/// along `inner` (two); further axes are reduced to their best. Grids only.
[[nodiscard]] Heatmap project_nested(EliteMap const& map, std::vector<std::string> const& names,
                                     std::vector<std::int64_t> const& inner,
                                     std::vector<std::int64_t> const& outer,
                                     double Elite::*value = &Elite::fitness);

/// The same heatmap with blocks of `across` by `up` pixels reduced to their best.
[[nodiscard]] Heatmap shrink(Heatmap const& heatmap, std::int64_t across, std::int64_t up);

/// The heatmap with frame, bounds, names and a scale, every line ended. Two coloured pixels per
/// character if the terminal has colours and UTF-8, else letters from . (lowest) to @ (highest).
/// Enlarges or shrinks the heatmap to fit the terminal's columns and `lines` lines; 0: so that it
/// fits the screen together with its title, at most 23.
[[nodiscard]] std::string draw(Heatmap const& heatmap, Terminal const& terminal,
                               std::int64_t lines = 0);

}  // namespace mees
