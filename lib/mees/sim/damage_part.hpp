#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mees {

/// A part of the form kind:NAME=VALUE, of which any piece may be absent.
struct DamagePart {
    std::string text;
    std::string kind;
    std::string name;
    std::optional<double> value;
    bool is_signed{false};
};

/// Throws ConfigError for a value that is not a number.
[[nodiscard]] DamagePart parse_damage_part(std::string const& text);

/// The value of a part that says how much remains: above 0, at most 1, without a sign.
[[nodiscard]] double share(DamagePart const& part);

[[noreturn]] void reject_damage(std::string_view part, std::string_view why,
                                std::string_view remedy);

}  // namespace mees
