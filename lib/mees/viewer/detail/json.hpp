#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>

// JSON text, built piece by piece.

namespace mees::viewer {

/// A JSON string. Safe inside a <script> element too: it contains no '<'.
[[nodiscard]] std::string json_string(std::string_view text);
/// null for a number that JSON does not have.
[[nodiscard]] inline std::string json_number(double value)
{
    return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

[[nodiscard]] inline std::string to_json(double value)
{
    return json_number(value);
}
[[nodiscard]] inline std::string to_json(bool value)
{
    return value ? "true" : "false";
}
[[nodiscard]] inline std::string to_json(std::string_view text)
{
    return json_string(text);
}
[[nodiscard]] inline std::string to_json(std::integral auto value)
{
    return fmt::format("{}", value);
}

/// A list of the values that `value` gives for each item.
template <class Items, class Value>
[[nodiscard]] std::string json_list(Items const& items, Value const& value)
{
    std::string text = "[";
    for (auto const& item : items) {
        text += text.size() == 1 ? "" : ",";
        text += to_json(value(item));
    }
    return text + "]";
}
template <class Items>
[[nodiscard]] std::string json_list(Items const& items)
{
    return json_list(items, [](auto const& item) { return item; });
}

/// An object, written member by member.
class JsonObject {
  public:
    /// `json` is JSON text already.
    JsonObject& raw(std::string_view key, std::string_view json)
    {
        text_ += fmt::format("{}{}:{}", text_.size() == 1 ? "" : ",", json_string(key), json);
        return *this;
    }
    JsonObject& add(std::string_view key, auto const& value) { return raw(key, to_json(value)); }

    [[nodiscard]] std::string text() const { return text_ + "}"; }

  private:
    std::string text_{"{"};
};

/// A TOML document as JSON. Throws FileError for a text that is not TOML; `what` names it.
[[nodiscard]] std::string toml_to_json(std::string_view toml, std::string_view what);

[[nodiscard]] std::string base64(std::string_view bytes);

}  // namespace mees::viewer
