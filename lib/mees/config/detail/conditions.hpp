#pragma once

#include "mees/config/known_names.hpp"
#include "mees/config/schema.hpp"
#include "mees/config/settings.hpp"

#include <string_view>
#include <vector>

namespace mees {

/// Keys that the algorithm uses, but that have no effect with a value of another key of it.
struct Condition {
    std::vector<std::string_view> keys;  ///< full names
    KeyGroup group;                      ///< of the algorithms that it is a condition of
    bool (*is_met)(Settings const&);
    std::string_view text;  ///< what has to hold: "algorithm.mode = explore, explore-exploit"
};

[[nodiscard]] std::vector<Condition> const& conditions();

/// The text of a condition of the key that is not met with these settings; empty: none.
[[nodiscard]] std::string_view unmet_condition(Key const& key, Settings const& settings,
                                               KnownNames const& known);

}  // namespace mees
