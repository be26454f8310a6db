#pragma once

#include "mees/report/terminal.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace mees {

/// One quantity as it grew: `y[i]` at `x[i]`, x ascending.
struct Curve {
    std::string title;
    std::string x_name;
    std::span<double const> x;
    std::span<double const> y;
};

/// Lines of text, each ended: the curve with frame, bounds and names, as wide as the terminal. In
/// dots of a quarter line's height where the terminal has them, else in letters.
[[nodiscard]] std::string draw(Curve const& curve, Terminal const& terminal,
                               std::int64_t lines = 10);

}  // namespace mees
