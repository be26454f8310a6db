#pragma once

#include "mees/config/detail/check.hpp"

#include <string_view>
#include <variant>

namespace mees {

/// Reads an entry of a list of objectives: the name of one, or a sum of terms WEIGHT*NAME and NAME
/// with positive weights, each name once.
[[nodiscard]] std::variant<Objective, Fault> read_objective(Key const& key, std::string_view text);

}  // namespace mees
