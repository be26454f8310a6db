#pragma once

#include "mees/sim/damage_part.hpp"

#include <vector>

struct mjModel_;

namespace mees {

/// The motors that a part of a damage names: one by its own name or as J and its number, or all
/// that move the joint of that name. Throws ConfigError, with the names there are, if there is
/// none.
[[nodiscard]] std::vector<int> motors_of(mjModel_ const& model, DamagePart const& part);

}  // namespace mees
