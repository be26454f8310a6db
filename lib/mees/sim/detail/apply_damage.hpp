#pragma once

#include "mees/sim/damage.hpp"

#include <string_view>

namespace mees {

/// Changes the model by one part of a damage. The caller then has mj_setConst update the derived
/// quantities.
void apply_damage(mjModel_& model, Damage::Part const& part);

[[noreturn]] void reject_damage(std::string_view part, std::string_view why,
                                std::string_view remedy);

}  // namespace mees
