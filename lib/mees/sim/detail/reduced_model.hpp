#pragma once

#include "mees/sim/mujoco.hpp"

#include <string>

namespace mees {

/// Compiles the model file of which `full` was compiled, reduced to what can change a motion: the
/// robot moves bit-for-bit as in `full`, at less cost.
///
/// The reduced model has no cameras, no lights, no tendons without effect, and switches off the
/// kinds of constraints of which it has none. If the robot can touch nothing but a plane, the pairs
/// that can touch are listed, so that the engine does not search all bodies at every step. All ids
/// are those of `full`. Null if that is not possible, or before MuJoCo 3.14.
[[nodiscard]] MutableModel compile_reduced_model(std::string const& file, mjVFS const* vfs,
                                                 mjModel const& full);

/// Gives the listed pairs the contact parameters of `full`, which may be damaged, and simulates
/// both models for 20 steps. False if they differ: then `reduced` must not be used.
[[nodiscard]] bool match_contacts(mjModel& reduced, mjModel const& full);

/// The reduced model for steps in which the robot can touch no wall (ModelSteps). Null if it has
/// none, if leaving them out would not spare the engine work with the same bits, or if 20 steps
/// from the start and at each wall do not end in those of `full`.
[[nodiscard]] MutableModel without_walls(mjModel const& reduced, mjModel const& full);

}  // namespace mees
