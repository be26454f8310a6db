#include "mees/config/detail/key_depth.hpp"

#include <algorithm>

namespace mees {
namespace {

constexpr int most_dots = 64;

/// The position after the string that begins at `begin`, or the end of the line of an open one.
std::size_t end_of_string(std::string_view toml, std::size_t begin)
{
    char const quote = toml[begin];
    bool const escapes = quote == '"';
    bool const long_string = toml.substr(begin, 3) == std::string_view(escapes ? "\"\"\"" : "'''");
    std::size_t const marks = long_string ? 3 : 1;
    for (auto i = begin + marks; i < toml.size(); ++i) {
        if (escapes && toml[i] == '\\') {
            ++i;
        } else if (toml[i] == '\n' && !long_string) {
            return i;
        } else if (toml[i] == quote
                   && (!long_string || toml.substr(i, 3) == toml.substr(begin, 3))) {
            return i + marks;
        }
    }
    return toml.size();
}

}  // namespace

std::optional<int> line_of_deep_key(std::string_view toml)
{
    constexpr std::string_view ends_of_keys = "\n=,[]{}";
    int dots = 0;
    for (std::size_t i = 0; i < toml.size();) {
        char const c = toml[i];
        if (c == '#') {
            i = std::min(toml.find('\n', i), toml.size());
            continue;
        }
        if (c == '"' || c == '\'') {
            i = end_of_string(toml, i);
            continue;
        }
        dots = ends_of_keys.find(c) != std::string_view::npos ? 0 : dots + (c == '.' ? 1 : 0);
        if (dots > most_dots) {
            return 1 + static_cast<int>(std::ranges::count(toml.substr(0, i), '\n'));
        }
        ++i;
    }
    return std::nullopt;
}

}  // namespace mees
