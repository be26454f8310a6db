#pragma once

#include "mees/config/task_description.hpp"
#include "mees/sim/damage.hpp"

#include <string_view>

namespace mees {

// The caller of these two then has mj_setConst update the derived quantities.

/// Changes the model by one part of a damage.
void apply_damage(mjModel_& model, Damage::Part const& part, ControlScale const& scale);

/// Scales the body's length by `factor` in (0, 1]: its capsules, cylinders and boxes along their
/// longest side, and the positions of everything attached to it. Mass, centre and inertia follow at
/// the density the body had.
void shorten_body(mjModel_& model, int body, double factor);

/// What can be damaged in a robot, by the names that damage uses.
[[nodiscard]] DamageWords damage_words(mjModel_ const& model);

[[noreturn]] void reject_damage(std::string_view part, std::string_view why,
                                std::string_view remedy);

}  // namespace mees
