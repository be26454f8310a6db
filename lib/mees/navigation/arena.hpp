#pragma once

#include "mees/config/arena.hpp"

namespace mees {

/// The free space of an arena, for a robot of its radius.
class Arena {
  public:
    explicit Arena(ArenaSettings settings) : settings_{std::move(settings)} {}

    [[nodiscard]] ArenaSettings const& settings() const { return settings_; }
    /// Inside the walls and in no obstacle.
    [[nodiscard]] bool is_free(GroundPoint const& point) const;
    /// Whether all points between are, too. Corners of boxes are enlarged as corners.
    [[nodiscard]] bool is_free(GroundPoint const& from, GroundPoint const& to) const;
    /// Whether a step from one to the other counts as a collision: it ends in, or leads through,
    /// what is not free. A robot that is not in free space may step out of it.
    [[nodiscard]] bool collides(GroundPoint const& from, GroundPoint const& to) const;

    /// How close to a target counts as reached: half a cell.
    [[nodiscard]] double goal_radius() const { return settings_.cell / 2; }

  private:
    ArenaSettings settings_;
};

[[nodiscard]] double distance(GroundPoint const& a, GroundPoint const& b);

/// Throws ConfigError unless the robot's start, the origin, and all targets are in free space.
void require_free(Arena const& arena, std::vector<GroundPoint> const& targets);

}  // namespace mees
