#pragma once

#include "mees/config/schema.hpp"

#include <toml++/toml.h>

#include <optional>
#include <string>

namespace mees {

/// Where a configuration comes from, for messages: a file with lines, or an argument of --set.
struct Source {
    std::string name;
    bool has_lines{true};

    [[nodiscard]] std::string place(toml::node const& node) const;
};

/// The node as a value of the key's type; nothing if it is of another type. Whole numbers pass as
/// numbers. Throws ConfigError for a choice that does not exist, and for a table of the list that
/// has an unknown or wrong entry.
[[nodiscard]] std::optional<Value> to_value(Key const& key, toml::node const& node,
                                            Source const& source);

/// "a text", "a whole number", "a number with a decimal point", ...
[[nodiscard]] std::string_view kind_of(toml::node const& node);

}  // namespace mees
