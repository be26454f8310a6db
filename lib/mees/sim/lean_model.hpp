#pragma once

#include "mees/sim/mujoco.hpp"

namespace mees {

/// Compiles a model once more, of which `whole` was compiled: one of the same motions, to the bit,
/// that costs the engine less. It has no cameras, no lights, no tendons that nothing pulls, and is
/// not searched for kinds of constraints of which it has none. Of a robot that can touch nothing
/// but a plane it lists the pairs that can touch, where the engine would look for them among all
/// bodies at every step. Null if that is not possible, or this version of the engine cannot do it.
[[nodiscard]] MutableModel compile_lean_model(std::string const& file, mjVFS const* vfs,
                                              mjModel const& whole);

/// Gives those pairs the contacts of `whole`, with its damage, and tries both for a few steps.
/// False if they do not come out the same: then `lean` is not to be used.
[[nodiscard]] bool make_alike(mjModel& lean, mjModel const& whole);

}  // namespace mees
