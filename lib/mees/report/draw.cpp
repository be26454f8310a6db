#include "mees/report/format.hpp"
#include "mees/report/heatmap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace mees {
namespace {

/// From dark purple over green to yellow: distinguishable by brightness alone.
constexpr std::array colours{53, 55, 24, 30, 36, 71, 77, 149, 226};
constexpr std::string_view letters = ".:-=+*#%@";
static_assert(letters.size() == colours.size());
constexpr int empty_colour = 236;

struct Scale {
    double lower{0};
    double upper{0};
    bool any{false};

    [[nodiscard]] std::size_t level(double value) const
    {
        if (!(upper > lower)) {
            return colours.size() - 1;
        }
        auto const share = (value - lower) / (upper - lower);
        auto const level = static_cast<std::size_t>(share * static_cast<double>(colours.size()));
        return std::min(level, colours.size() - 1);
    }
};

Scale scale_of(Heatmap const& heatmap)
{
    Scale scale;
    for (auto const& [place, value] : heatmap.values) {
        scale.lower = scale.any ? std::min(scale.lower, value) : value;
        scale.upper = scale.any ? std::max(scale.upper, value) : value;
        scale.any = true;
    }
    return scale;
}

/// How many pixels a place is wide and high, after places have been joined to fit.
struct Fit {
    Heatmap heatmap;
    std::int64_t across{1};
    std::int64_t up{1};
};

/// `pixel_columns` and `pixel_rows` is the room there is.
Fit fit(Heatmap const& heatmap, std::int64_t pixel_columns, std::int64_t pixel_rows)
{
    auto const blocks = [](std::int64_t places, std::int64_t room) {
        return (places + room - 1) / room;
    };
    Fit result{
        shrink(heatmap, blocks(heatmap.columns, pixel_columns), blocks(heatmap.rows, pixel_rows))};
    auto const across = pixel_columns / result.heatmap.columns;
    auto const up = pixel_rows / result.heatmap.rows;
    result.across = heatmap.rows == 1 ? across : std::min(across, up);
    result.up = heatmap.rows == 1 ? std::min(up, std::int64_t{4}) : result.across;
    bool const joined =
        result.heatmap.columns < heatmap.columns || result.heatmap.rows < heatmap.rows;
    if (joined) {
        result.heatmap.block_columns = 0;
        result.heatmap.block_rows = 0;
    }
    return result;
}

/// Between which columns, and above which rows, a nested heatmap has a gap.
bool ends_block(std::int64_t place, std::int64_t places, std::int64_t block)
{
    return block > 0 && place > 0 && place < places && place % block == 0;
}

std::int64_t gaps(std::int64_t places, std::int64_t block)
{
    return block > 0 ? (places - 1) / block : 0;
}

/// Two pixels a character: the upper half block in the colour of the upper on that of the lower.
std::string coloured_line(Fit const& fit, Scale const& scale, std::int64_t upper_pixel)
{
    auto const& heatmap = fit.heatmap;
    auto const colour = [&](std::int64_t column, std::int64_t pixel) {
        if (pixel < 0) {
            return 0;
        }
        auto const value = heatmap.at(column, pixel / fit.up);
        return value ? colours.at(scale.level(*value)) : empty_colour;
    };
    std::string line;
    for (std::int64_t column = 0; column < heatmap.columns; ++column) {
        if (ends_block(column, heatmap.columns, heatmap.block_columns)) {
            line += "\x1b[0m ";
        }
        int const upper = colour(column, upper_pixel);
        int const lower = colour(column, upper_pixel - 1);
        line += lower == 0 ? fmt::format("\x1b[38;5;{};49m", upper)
                           : fmt::format("\x1b[38;5;{};48;5;{}m", upper, lower);
        for (std::int64_t i = 0; i < fit.across; ++i) {
            line += "\u2580";
        }
    }
    return line + "\x1b[0m";
}

std::string lettered_line(Fit const& fit, Scale const& scale, std::int64_t pixel)
{
    std::string line;
    for (std::int64_t column = 0; column < fit.heatmap.columns; ++column) {
        if (ends_block(column, fit.heatmap.columns, fit.heatmap.block_columns)) {
            line += '|';
        }
        auto const value = fit.heatmap.at(column, pixel / fit.up);
        char const letter = value ? letters[scale.level(*value)] : ' ';
        line.append(static_cast<std::size_t>(2 * fit.across), letter);
    }
    return line;
}

std::string scale_line(Scale const& scale, bool blocks)
{
    std::string ramp;
    if (blocks) {
        for (int const colour : colours) {
            ramp += fmt::format("\x1b[38;5;{}m\u2588\u2588", colour);
        }
        ramp += "\x1b[0m";
    } else {
        ramp = letters;
    }
    return scale.any
               ? fmt::format("{} {} {}", short_number(scale.lower), ramp, short_number(scale.upper))
               : "no cell is filled";
}

/// In `width` columns; in up to `room` of them if that is too few, the name cut to fit.
std::string x_line(HeatmapAxis const& axis, std::size_t width, std::size_t room)
{
    auto const bounds = plain_number(axis.lower).size() + plain_number(axis.upper).size() + 2;
    auto const name = axis.name.substr(0, room > bounds ? room - bounds : 0);
    return axis_line(axis.lower, name, axis.upper, width);
}

}  // namespace

std::string draw(Heatmap const& heatmap, Terminal const& terminal, std::int64_t lines)
{
    constexpr std::int64_t most_lines = 23;
    constexpr std::int64_t other_lines = 6;  // title, frame, axis, scale and the prompt
    if (lines == 0) {
        lines = terminal.rows == 0
                    ? most_lines
                    : std::clamp<std::int64_t>(terminal.rows - other_lines, 5, most_lines);
    }
    bool const blocks = terminal.colour && terminal.utf8;
    auto const name =
        heatmap.y.name.substr(0, static_cast<std::size_t>(std::max(terminal.columns / 5, 4)));
    auto const top = heatmap.rows > 1 ? plain_number(heatmap.y.upper) : "";
    auto const bottom = heatmap.rows > 1 ? plain_number(heatmap.y.lower) : "";
    auto const margin = std::max({name.size(), top.size(), bottom.size()}) + 1;
    auto const room = std::max<std::int64_t>(terminal.columns - static_cast<std::int64_t>(margin)
                                                 - 3 - gaps(heatmap.columns, heatmap.block_columns),
                                             10);
    auto const fitted = blocks ? fit(heatmap, room, 2 * lines) : fit(heatmap, room / 2, lines);
    auto const scale = scale_of(heatmap);

    auto const pixels = fitted.heatmap.rows * fitted.up;
    auto const height = blocks ? (pixels + 1) / 2 : pixels;
    auto const width =
        static_cast<std::size_t>(fitted.heatmap.columns * fitted.across * (blocks ? 1 : 2)
                                 + gaps(fitted.heatmap.columns, fitted.heatmap.block_columns));
    auto const pixels_a_line = blocks ? 2 : 1;
    auto const block_pixels = fitted.heatmap.block_rows * fitted.up;
    bool const parted = block_pixels > 0 && block_pixels % pixels_a_line == 0;
    auto const edge = fmt::format("{:>{}}+{}+\n", "", margin, std::string(width, '-'));
    std::string text = edge;
    for (std::int64_t line = 0; line < height; ++line) {
        if (parted && ends_block(line * pixels_a_line, pixels, block_pixels)) {
            text += fmt::format("{:>{}}|{}|\n", "", margin, std::string(width, blocks ? ' ' : '-'));
        }
        auto const& label = line == 0            ? top
                            : line == height - 1 ? bottom
                            : line == height / 2 ? name
                                                 : std::string{};
        auto const content = blocks ? coloured_line(fitted, scale, pixels - 1 - 2 * line)
                                    : lettered_line(fitted, scale, pixels - 1 - line);
        text += fmt::format("{:>{}} |{}|\n", label, margin - 1, content);
    }
    text += edge;
    text += fmt::format("{:>{}}{}\n", "", margin + 1,
                        x_line(heatmap.x, width, static_cast<std::size_t>(room)));
    return text + fmt::format("{:>{}}{}\n", "", margin + 1, scale_line(scale, blocks));
}

}  // namespace mees
