#pragma once

#include "mees/config/schema.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mees {

/// Why a value is invalid, in the parts of an Error.
struct Fault {
    std::vector<std::string> keys;  ///< those it concerns, the one to change first
    std::string problem;
    std::string why;
    std::string remedy;
};

/// The value breaks the range or the rule that the schema states for the key.
[[nodiscard]] Fault invalid_value(Key const& key, Value const& value);

/// `name` is not one of the `allowed` values of the key, or of the entries of its list.
[[nodiscard]] Fault unknown_name(Key const& key, std::string const& name,
                                 std::span<std::string const> allowed);

/// What is wrong with one value on its own: out of range, not finite, not the name of a domain or
/// an algorithm.
[[nodiscard]] std::optional<Fault> check_value(Key const& key, Value const& value,
                                               KnownNames const& known);

/// Whether an objective of the algorithm needs offspring that start from the same states.
[[nodiscard]] bool needs_same_states(AlgorithmSettings const& settings, KnownNames const& known);

/// What is wrong between values that are each valid. What a domain or an algorithm needs is checked
/// if it is known: settings that a run has stored were checked when it started.
[[nodiscard]] std::optional<Fault> cross_check(Settings const& settings, KnownNames const& known);

}  // namespace mees
