#pragma once

#include "mees/navigation/navigation_run.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace mees {

/// A line per damage: actions per target with and without learning (means over the walks with their
/// standard errors; a target that was not reached counts as `max_actions`), targets reached, and
/// what the columns mean.
[[nodiscard]] std::string navigation_table(std::span<NavigationResult const> results,
                                           std::int64_t max_actions);

/// A header line, then a line per walk and target.
[[nodiscard]] std::string navigation_csv(std::span<NavigationResult const> results);

}  // namespace mees
