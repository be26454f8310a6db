#pragma once

#include "mees/sim/task.hpp"

#include <memory>
#include <span>
#include <vector>

namespace mees {

/// Position and heading on the ground; the heading as a unit vector.
struct GroundPose {
    double x{0};
    double y{0};
    double cos{1};
    double sin{0};

    /// In radians, -pi..pi.
    [[nodiscard]] double heading() const;
    friend bool operator==(GroundPose const&, GroundPose const&) = default;
};

/// `step`, given as seen from `from`, in the frame in which `from` is given. A heading of another
/// length than 1 is scaled to it.
[[nodiscard]] GroundPose moved(GroundPose const& from, GroundPose const& step);

/// A robot with a free base on flat ground that walks on and on: its state continues from one
/// action to the next, seen from the pose in which the action begins.
///
/// The ground is the same everywhere and in all directions, so moving the origin and turning the
/// axes changes no motion; controllers observe what they observed in the episodes of the map, which
/// start near the origin with heading 0. One per thread.
class GroundRobot {
  public:
    /// Throws ConfigError for a domain that is not the simulation of a model with one free base
    /// that carries all joints, and for a model whose actuators have a state of their own.
    explicit GroundRobot(Domain const& domain);

    [[nodiscard]] PhysicsTask& task() { return *task_; }
    /// The base as seen from where the latest `begin` or reset was.
    [[nodiscard]] GroundPose pose() const;
    /// Makes the present pose the origin and starts an episode there.
    void begin();
    /// Positions of the model's coordinates if the origin is at `origin`, for videos.
    [[nodiscard]] std::vector<double> world_qpos(GroundPose const& origin) const;

  private:
    std::unique_ptr<PhysicsTask> task_;
    std::size_t qpos_;  ///< where the coordinates of the base begin
    std::size_t qvel_;
};

}  // namespace mees
