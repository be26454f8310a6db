#pragma once

#include <cmath>
#include <ranges>

namespace mees {

// Of ranges that are not empty. Sums run in the order of the range, so that equal ranges give equal
// bits.

[[nodiscard]] double mean_of(std::ranges::sized_range auto const& values)
{
    double sum = 0;
    for (double const value : values) {
        sum += value;
    }
    return sum / static_cast<double>(std::ranges::size(values));
}

[[nodiscard]] double squared_deviations_of(std::ranges::sized_range auto const& values, double mean)
{
    double squares = 0;
    for (double const value : values) {
        squares += (value - mean) * (value - mean);
    }
    return squares;
}

/// In double, also of floats.
[[nodiscard]] double sum_of_squares(auto const& values)
{
    double squares = 0;
    for (double const value : values) {
        squares += value * value;
    }
    return squares;
}

/// Of what the values are a sample of: divided by n - 1; 0 for a single value.
[[nodiscard]] double standard_deviation_of(std::ranges::sized_range auto const& values, double mean)
{
    auto const count = static_cast<double>(std::ranges::size(values));
    return count > 1 ? std::sqrt(squared_deviations_of(values, mean) / (count - 1)) : 0;
}

/// Of the mean as an estimate; 0 for a single value.
[[nodiscard]] double standard_error_of(std::ranges::sized_range auto const& values, double mean)
{
    auto const count = static_cast<double>(std::ranges::size(values));
    return count > 1 ? std::sqrt(squared_deviations_of(values, mean) / (count - 1) / count) : 0;
}

}  // namespace mees
