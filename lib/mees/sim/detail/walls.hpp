#pragma once

#include "mees/sim/mujoco.hpp"

#include <array>
#include <optional>
#include <vector>

namespace mees {

/// Whether the geom is on a body that cannot move.
[[nodiscard]] bool is_static(mjModel const& model, int geom);
/// Whether the filters of two geoms let them touch.
[[nodiscard]] bool can_touch(mjModel const& model, int one, int other);

/// The static geoms other than geom 0, the floor, that a robot can touch.
///
/// The robot must have one free joint, at its root, and only hinges and balls elsewhere: then all
/// of it is within a fixed distance from the root's origin.
class Walls {
  public:
    /// Nothing if there are none, or if the distance to them is not bounded that way.
    [[nodiscard]] static std::optional<Walls> of(mjModel const& model);

    /// If the root's origin is nowhere farther than that from `position`, the robot touches no
    /// wall. Negative or NaN if it may be touching one.
    [[nodiscard]] double clearance(mjtNum const* position) const;

    /// For each wall the position of the model's joints at rest, but with the root's origin on the
    /// face of the wall that is next to it.
    [[nodiscard]] std::vector<std::vector<mjtNum>> places(mjModel const& model) const;

  private:
    /// A box around a wall: centre, half sizes and axes in the world.
    struct Box {
        std::array<mjtNum, 3> centre;
        std::array<mjtNum, 3> half;
        std::array<mjtNum, 9> axes;
    };

    double reach_{0};  ///< of the robot from its root, with the margins of contacts
    std::vector<Box> boxes_;
};

/// A copy of a model with walls that has none, in which the engine looks at nothing of the world
/// but the floor; null if it might find other contacts with the floor then.
///
/// The engine's mid-phase looks for geoms near the world's in a tree of boxes. That of a plane is
/// 10^10 m deep, so that the test of a geom with it is only right to a micrometre: which contacts
/// are found depends on the test being made. Here the tree is its leaf with the floor, whose test
/// is the same. The tests above it in the tree never fail near the floor, if the boxes there, with
/// walls in them, rise above it.
[[nodiscard]] MutableModel copy_without_walls(mjModel const& model);

}  // namespace mees
