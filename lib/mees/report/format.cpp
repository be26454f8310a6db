#include "mees/report/format.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace mees {

namespace {

int decimals_of(double size)
{
    return size >= 1e5 ? 0 : size >= 1e3 ? 1 : size >= 10 ? 2 : size >= 0.1 ? 3 : 5;
}

bool needs_exponent(double size)
{
    return (size > 0 && size < 1e-3) || size >= 1e9 || !std::isfinite(size);
}

/// The number of leading words, separated by _, that all names share and that none consists of.
std::size_t shared_words(std::vector<std::string> const& names)
{
    std::size_t words = 0;
    for (std::size_t end = names.front().find('_'); end != std::string::npos;
         end = names.front().find('_', end + 1)) {
        auto const start = names.front().substr(0, end + 1);
        if (!std::ranges::all_of(names,
                                 [&](auto const& name) { return name.starts_with(start); })) {
            break;
        }
        ++words;
    }
    return words;
}

}  // namespace

std::string short_number(double number)
{
    double const size = std::abs(number);
    if (size == 0) {
        return "0";
    }
    return needs_exponent(size) ? fmt::format("{:.4g}", number)
                                : fmt::format("{:.{}f}", number, decimals_of(size));
}

std::vector<std::string> aligned_numbers(std::vector<double> const& values)
{
    double largest = 0;
    for (double const value : values) {
        largest = std::max(largest, std::abs(value));
    }
    std::vector<std::string> texts;
    for (double const value : values) {
        texts.push_back(needs_exponent(largest)
                            ? short_number(value)
                            : fmt::format("{:.{}f}", value, decimals_of(largest)));
    }
    return texts;
}

std::vector<std::string> short_names(std::vector<std::string> const& names)
{
    auto const shared = names.size() < 2 ? 0 : shared_words(names);
    std::vector<std::string> result;
    for (auto name : names) {
        for (std::size_t word = 0; word + 1 < shared; ++word) {
            name.erase(0, name.find('_') + 1);
        }
        result.push_back(escaped(name));
    }
    return result;
}

std::string broken(std::string_view text, std::size_t width, std::size_t indent)
{
    std::string result;
    std::size_t column = 0;
    while (!text.empty()) {
        auto const comma = text.find(", ");
        auto const part = text.substr(0, comma == std::string_view::npos ? comma : comma + 2);
        auto const visible = comma == std::string_view::npos ? part.size() : part.size() - 1;
        if (column > 0 && column + visible > width) {
            result.pop_back();  // the blank
            result += fmt::format("\n{:{}}", "", indent);
            column = 0;
        }
        result += part;
        column += part.size();
        text.remove_prefix(part.size());
    }
    return result;
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
    auto const shown = short_names(names);
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < bc.size(); ++i) {
        parts.push_back(fmt::format("{} {}", i < shown.size() ? shown[i] : fmt::format("bc {}", i),
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
