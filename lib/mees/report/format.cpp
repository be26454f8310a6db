#include "mees/report/format.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace mees {

std::string short_number(double number)
{
    double const size = std::abs(number);
    if (size == 0) {
        return "0";
    }
    if (size < 1e-3 || size >= 1e9 || !std::isfinite(size)) {
        return fmt::format("{:.4g}", number);
    }
    int const decimals = size >= 1e5 ? 0 : size >= 1e3 ? 1 : size >= 10 ? 2 : size >= 0.1 ? 3 : 5;
    return fmt::format("{:.{}f}", number, decimals);
}

std::string plain_number(double number)
{
    return fmt::format("{:.6g}", number);
}

std::string grouped(std::int64_t number)
{
    auto const digits = fmt::format("{}", number);
    std::string text;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        bool const first = text.empty() || text == "-";
        if (!first && (digits.size() - i) % 3 == 0) {
            text += ',';
        }
        text += digits[i];
    }
    return text;
}

std::string duration(double seconds)
{
    auto const whole = static_cast<std::int64_t>(std::llround(std::clamp(seconds, 0.0, 1e12)));
    auto const s = whole % 60;
    auto const m = whole / 60 % 60;
    auto const h = whole / 3600 % 24;
    auto const d = whole / 86400;
    if (d > 0) {
        return fmt::format("{}d {:02}:{:02}:{:02}", d, h, m, s);
    }
    return h > 0 ? fmt::format("{}:{:02}:{:02}", h, m, s) : fmt::format("{}:{:02}", m, s);
}

std::string describe_behaviour(std::vector<double> const& bc, std::vector<std::string> const& names)
{
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < bc.size(); ++i) {
        parts.push_back(fmt::format("{} {}",
                                    i < names.size() ? escaped(names[i]) : fmt::format("bc {}", i),
                                    short_number(bc[i])));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string axis_line(double lower, std::string_view name, double upper, std::size_t width)
{
    auto const left = plain_number(lower);
    auto const right = plain_number(upper);
    auto const used = left.size() + name.size() + right.size();
    auto const gap = width > used + 2 ? width - used : 2;
    return fmt::format("{}{:{}}{}{:{}}{}", left, "", gap / 2, name, "", gap - gap / 2, right);
}

std::string line(std::string_view name, std::size_t width, std::string_view value)
{
    return fmt::format("{:<{}}{}\n", name, width, value);
}

std::string line(std::string_view name, std::size_t width,
                 std::initializer_list<std::string> values, std::size_t column)
{
    std::string cells;
    for (auto const& value : values) {
        cells += fmt::format("{:>{}}", value, column);
    }
    return line(name, width, cells);
}

}  // namespace mees
