#pragma once

#include "mees/report/terminal.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace mees {

/// One quantity over another: `y[i]` at `x[i]`, x ascending.
struct Curve {
    std::string title;
    std::string x_name;
    std::span<double const> x;
    std::span<double const> y;
};

/// The curve with frame, bounds and names, as wide as the terminal, every line ended. Drawn with
/// Braille dots (2 x 4 per character) if the terminal has UTF-8, else with letters.
[[nodiscard]] std::string draw(Curve const& curve, Terminal const& terminal,
                               std::int64_t lines = 10);

}  // namespace mees
