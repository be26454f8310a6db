#include "mees/report/curve.hpp"

#include "mees/core/error.hpp"
#include "mees/report/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace mees {
namespace {

constexpr std::size_t margin = 11;

/// A raster of dots; row 0 is the lowest.
class Dots {
  public:
    Dots(std::int64_t columns, std::int64_t rows)
        : columns_{columns}, rows_{rows}, set_(static_cast<std::size_t>(columns * rows))
    {
    }

    [[nodiscard]] std::int64_t columns() const { return columns_; }
    [[nodiscard]] std::int64_t rows() const { return rows_; }
    void set(std::int64_t column, std::int64_t row)
    {
        set_[static_cast<std::size_t>(row * columns_ + column)] = true;
    }
    [[nodiscard]] bool at(std::int64_t column, std::int64_t row) const
    {
        return set_[static_cast<std::size_t>(row * columns_ + column)];
    }

  private:
    std::int64_t columns_;
    std::int64_t rows_;
    std::vector<bool> set_;
};

struct Bounds {
    double lower{0};
    double upper{1};

    /// Which of `count` equal parts contains the value; part 0 if the bounds are equal.
    [[nodiscard]] std::int64_t part(double value, std::int64_t count) const
    {
        double const share = upper > lower ? (value - lower) / (upper - lower) : 0;
        return std::clamp(
            static_cast<std::int64_t>(std::llround(share * static_cast<double>(count - 1))),
            std::int64_t{0}, count - 1);
    }
};

Bounds bounds_of(std::span<double const> values)
{
    auto const [lowest, highest] = std::ranges::minmax(values);
    return {lowest, highest};
}

/// Sets a dot per value and the dots between neighbouring values.
void trace(Curve const& curve, Bounds const& x, Bounds const& y, Dots& dots)
{
    std::int64_t column = 0;
    std::int64_t row = 0;
    for (std::size_t i = 0; i < curve.y.size(); ++i) {
        auto const to_column = x.part(curve.x[i], dots.columns());
        auto const to_row = y.part(curve.y[i], dots.rows());
        if (i == 0) {
            column = to_column;
            row = to_row;
        }
        auto const steps =
            std::max<std::int64_t>({std::abs(to_column - column), std::abs(to_row - row), 1});
        for (std::int64_t step = 0; step <= steps; ++step) {
            dots.set(column + (to_column - column) * step / steps,
                     row + (to_row - row) * step / steps);
        }
        column = to_column;
        row = to_row;
    }
}

void append_utf8(std::string& text, unsigned code)
{
    text += static_cast<char>(0xe0 | (code >> 12));
    text += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    text += static_cast<char>(0x80 | (code & 0x3f));
}

/// Two by four dots per character (Unicode block Braille Patterns).
std::string braille_line(Dots const& dots, std::int64_t line)
{
    constexpr unsigned braille = 0x2800;
    constexpr unsigned bits[4][2] = {{0x40, 0x80}, {0x04, 0x20}, {0x02, 0x10}, {0x01, 0x08}};
    std::string text;
    for (std::int64_t column = 0; column < dots.columns(); column += 2) {
        unsigned code = braille;
        for (std::int64_t up = 0; up < 4; ++up) {
            for (std::int64_t across = 0; across < 2; ++across) {
                code |= dots.at(column + across, 4 * line + up) ? bits[up][across] : 0;
            }
        }
        append_utf8(text, code);
    }
    return text;
}

std::string lettered_line(Dots const& dots, std::int64_t line)
{
    std::string text;
    for (std::int64_t column = 0; column < dots.columns(); ++column) {
        text += dots.at(column, line) ? '*' : ' ';
    }
    return text;
}

}  // namespace

std::string draw(Curve const& curve, Terminal const& terminal, std::int64_t lines)
{
    expects(!curve.y.empty() && curve.x.size() == curve.y.size(),
            "a curve with as many y as x values, at least one");
    auto const width =
        std::max<std::int64_t>(terminal.columns - static_cast<std::int64_t>(margin) - 3, 20);
    bool const braille = terminal.utf8;
    Dots dots{braille ? 2 * width : width, braille ? 4 * lines : lines};
    auto const x = bounds_of(curve.x);
    auto const y = bounds_of(curve.y);
    trace(curve, x, y, dots);

    auto text =
        fmt::format("{:>{}}  {}, now {}\n", "", margin, curve.title, short_number(curve.y.back()));
    auto const colour = terminal.colour ? "\x1b[38;5;36m" : "";
    auto const plain = terminal.colour ? "\x1b[0m" : "";
    for (auto line = lines - 1; line >= 0; --line) {
        auto const label = line == lines - 1 ? short_number(y.upper)
                           : line == 0       ? short_number(y.lower)
                                             : std::string{};
        text += fmt::format("{:>{}} |{}{}{}\n", label, margin, colour,
                            braille ? braille_line(dots, line) : lettered_line(dots, line), plain);
    }
    text += fmt::format("{:>{}} +{:->{}}\n", "", margin, "", width);
    return text
           + fmt::format(
               "{:>{}}{}\n", "", margin + 2,
               axis_line(x.lower, curve.x_name, x.upper, static_cast<std::size_t>(width)));
}

}  // namespace mees
