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

    /// "run.toml, line 12" or "--set es.sigma=0".
    [[nodiscard]] std::string place(toml::node const& node) const;
};

/// The node as a value of the key's type; nothing if it is of another type. Integers are
/// accepted as numbers. Throws ConfigError for a choice that does not exist, and for a table of the
/// list that has an unknown or wrong entry.
[[nodiscard]] std::optional<Value> to_value(Key const& key, toml::node const& node,
                                            Source const& source);

/// "a string", "an integer", "a number with a decimal point or exponent", ...
[[nodiscard]] std::string_view kind_of(toml::node const& node);

}  // namespace mees
