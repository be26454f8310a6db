#pragma once

#include "mees/core/text.hpp"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace mees {

/// About five digits, without an exponent where that is readable: "-27.34", "4213.7", "1.235e+12".
[[nodiscard]] std::string short_number(double number);

/// Up to six digits, without trailing zeros: "40", "-0.5".
[[nodiscard]] std::string plain_number(double number);

/// "10,030,000".
[[nodiscard]] std::string grouped(std::int64_t number);

/// "0:07", "12:34", "1:02:03", "3d 04:05:06".
[[nodiscard]] std::string duration(double seconds);

/// Names for people: without the words that all of them begin with, except the last such word
/// ("contact_leg_1", "contact_leg_2" become "leg_1", "leg_2"), control characters escaped.
[[nodiscard]] std::vector<std::string> short_names(std::vector<std::string> const& names);

/// The numbers of one column of a table, with the same number of decimals.
[[nodiscard]] std::vector<std::string> aligned_numbers(std::vector<double> const& values);

/// The text in lines of at most `width` characters, broken after ", ". The second and later lines
/// are indented, which does not count.
[[nodiscard]] std::string broken(std::string_view text, std::size_t width, std::size_t indent);

/// A BC: "x 0.31, y -4.2", with short names.
[[nodiscard]] std::string describe_behaviour(std::vector<double> const& bc,
                                             std::vector<std::string> const& names);

/// "lower      name      upper" in `width` columns, or in more if that is too few.
[[nodiscard]] std::string axis_line(double lower, std::string_view name, double upper,
                                    std::size_t width);

/// A line of a table: the name in the first `width` columns, then the value.
[[nodiscard]] std::string line(std::string_view name, std::size_t width, std::string_view value);
/// The same with several values, each right-aligned in `column` columns.
[[nodiscard]] std::string line(std::string_view name, std::size_t width,
                               std::initializer_list<std::string> values, std::size_t column);

}  // namespace mees
