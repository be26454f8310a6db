#pragma once

#include "mees/qd/elite_map.hpp"
#include "mees/report/terminal.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mees {

struct HeatmapAxis {
    std::string name;
    double lower{0};
    double upper{1};
};

/// A picture of a map: one value, or none, per column and row. Row 0 is the lowest.
struct Heatmap {
    HeatmapAxis x;
    HeatmapAxis y;
    std::int64_t columns{0};
    std::int64_t rows{0};
    std::vector<std::optional<double>> values;  ///< row-major
    /// In a picture of pictures, how many columns and rows each has; 0: it is a single one.
    std::int64_t block_columns{0};
    std::int64_t block_rows{0};

    [[nodiscard]] std::optional<double> const& at(std::int64_t column, std::int64_t row) const
    {
        return values[static_cast<std::size_t>(row * columns + column)];
    }
};

/// What stands for the cells that fall onto one place of a picture.
enum class Reduction { best, mean };

/// The map seen along two of its axes, the others reduced; a map of one axis has a single row. A
/// CVT map is drawn where its elites' BCs lie, on a raster of 40 by 40. `names` are those of the
/// BC's dimensions; where one is missing, "bc N" stands.
[[nodiscard]] Heatmap project(EliteMap const& map, std::vector<std::string> const& names,
                              std::int64_t x_axis = 0, std::int64_t y_axis = 1,
                              Reduction reduction = Reduction::best,
                              double Elite::*value = &Elite::fitness);

/// A picture of pictures: each place of a coarse grid over the axes `outer` (one or two) holds the
/// map along `inner` (two); any further axes are reduced to their best. Grids only.
[[nodiscard]] Heatmap project_nested(EliteMap const& map, std::vector<std::string> const& names,
                                     std::vector<std::int64_t> const& inner,
                                     std::vector<std::int64_t> const& outer,
                                     double Elite::*value = &Elite::fitness);

/// The same picture with blocks of `across` by `up` places as one, the best standing for all.
[[nodiscard]] Heatmap shrink(Heatmap const& picture, std::int64_t across, std::int64_t up);

/// Lines of text, each ended: the picture with frame, bounds, names and a scale. Two coloured
/// pixels a character where the terminal has colours and blocks, else letters from . (lowest) to @
/// (highest). Small pictures are enlarged, large ones shrunk, to stay within the terminal's columns
/// and `lines` lines of picture.
[[nodiscard]] std::string draw(Heatmap const& picture, Terminal const& terminal,
                               std::int64_t lines = 23);

}  // namespace mees
