#include "mees/core/text.hpp"

#include <fmt/format.h>

namespace mees {
namespace {

bool changes_direction(char32_t code)
{
    return code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e)
           || (code >= 0x2066 && code <= 0x2069);
}

/// The bytes of the character at the beginning of `text` if a terminal can show it, otherwise 0.
std::size_t printable_bytes(std::string_view text)
{
    auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    auto const first = byte(0);
    if (first < 0x80) {
        return first >= 0x20 && first != 0x7f ? 1 : 0;
    }
    std::size_t const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < size) {
        return 0;
    }
    char32_t code = first & (0x7fU >> size);
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xc0U) != 0x80U) {
            return 0;
        }
        code = code << 6U | (byte(i) & 0x3fU);
    }
    char32_t const least = size == 2 ? 0xa0 : size == 3 ? 0x800 : 0x10000;
    bool const surrogate = code >= 0xd800 && code < 0xe000;
    return code >= least && code <= 0x10ffff && !surrogate && !changes_direction(code) ? size : 0;
}

}  // namespace

std::string escaped(std::string_view text, std::string_view kept)
{
    std::string result;
    while (!text.empty()) {
        auto const size = kept.find(text.front()) == kept.npos ? printable_bytes(text) : 1;
        result += size > 0 ? std::string{text.substr(0, size)}
                           : fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
        text.remove_prefix(size > 0 ? size : 1);
    }
    return result;
}

std::string csv_field(std::string_view text)
{
    auto shown = escaped(text);
    if (shown.find_first_of(",\"") == std::string::npos) {
        return shown;
    }
    std::string result = "\"";
    for (char const letter : shown) {
        result.append(letter == '"' ? 2 : 1, letter);
    }
    return result + '"';
}

std::string json_string(std::string_view text)
{
    std::string result = "\"";
    for (char const letter : escaped(text, "\b\t\n\f\r")) {
        auto const code = static_cast<unsigned char>(letter);
        if (letter == '"' || letter == '\\') {
            result += '\\';
        }
        result += code < 0x20 ? fmt::format("\\u{:04x}", code) : std::string{letter};
    }
    return result + '"';
}

std::string human_bytes(std::int64_t bytes)
{
    auto value = static_cast<double>(bytes);
    char const* unit = "B";
    for (auto const* next : {"kB", "MB", "GB", "TB"}) {
        if (value < 999.5) {
            break;
        }
        value /= 1000;
        unit = next;
    }
    return fmt::format("{:.3g} {}", value, unit);
}

}  // namespace mees
