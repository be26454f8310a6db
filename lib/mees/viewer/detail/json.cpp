#include "mees/viewer/detail/json.hpp"

#include "mees/core/error.hpp"

#include <toml++/toml.h>

#include <array>
#include <cstdint>
#include <sstream>

namespace mees::viewer {
namespace {

std::string node_to_json(toml::node const& node)
{
    if (auto const* const table = node.as_table()) {
        JsonObject object;
        for (auto const& [key, value] : *table) {
            object.raw(key.str(), node_to_json(value));
        }
        return object.text();
    }
    if (auto const* const array = node.as_array()) {
        std::string text = "[";
        for (auto const& item : *array) {
            text += fmt::format("{}{}", text.size() == 1 ? "" : ",", node_to_json(item));
        }
        return text + "]";
    }
    if (auto const* const text = node.as_string()) {
        return json_string(text->get());
    }
    if (auto const* const number = node.as_integer()) {
        return to_json(number->get());
    }
    if (auto const* const number = node.as_floating_point()) {
        return to_json(number->get());
    }
    if (auto const* const flag = node.as_boolean()) {
        return to_json(flag->get());
    }
    std::ostringstream date;
    node.visit([&](auto const& value) { date << value; });
    return json_string(date.str());
}

}  // namespace

std::string json_string(std::string_view text)
{
    std::string result = "\"";
    for (char const c : text) {
        if (c == '"' || c == '\\') {
            result += '\\';
            result += c;
        } else if (static_cast<unsigned char>(c) < 0x20 || c == '<' || c == '\x7f') {
            result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
            result += c;
        }
    }
    return result + '"';
}

std::string toml_to_json(std::string_view toml, std::string_view what)
{
    try {
        auto const document = toml::parse(toml);
        return node_to_json(document);
    } catch (toml::parse_error const& error) {
        throw FileError{fmt::format("cannot read {}", what), error.description(),
                        "Use a map that mees has written."};
    }
}

std::string base64(std::string_view bytes)
{
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            auto const byte = i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U;
            group = group << 8U | byte;
        }
        auto const used = std::min<std::size_t>(bytes.size() - i, 3);
        for (std::size_t k = 0; k < 4; ++k) {
            text += k <= used ? digits[group >> (18 - 6 * k) & 63U] : '=';
        }
    }
    return text;
}

}  // namespace mees::viewer
