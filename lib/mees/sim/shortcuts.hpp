#pragma once

#include "mees/sim/mujoco.hpp"

namespace mees {

/// Phases of the engine's step that only cost time in this model, as bits of opt.disableflags:
/// with one kinematic tree there is nothing that constraints could be divided into, so islands are
/// not looked for. Leaving them out changes no bit of any trajectory. (The mid-phase of collision
/// detection costs more than it saves in small models, too, but decides the order of contacts.)
/// None before MuJoCo 3.14, where this was not measured.
[[nodiscard]] int needless_phases(mjModel const& model);

}  // namespace mees
