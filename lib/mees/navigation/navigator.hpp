#pragma once

#include "mees/navigation/planner.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace mees {

struct NavigationSettings {
    PlannerSettings planner;
    DisplacementSettings model;
    std::int64_t max_actions{100};  ///< per target
    double rest_seconds{1};         ///< after each action
    bool learning{true};
    friend bool operator==(NavigationSettings const&, NavigationSettings const&) = default;
};

/// Where to walk.
struct Course {
    ArenaSettings arena;
    std::vector<GroundPoint> targets;
    friend bool operator==(Course const&, Course const&) = default;
};

/// An action that was made.
struct NavigationStep {
    std::int64_t target{0};
    CellId cell;            ///< of the elite that controlled the robot
    GroundPose pose;        ///< after it
    GroundPoint predicted;  ///< where it was expected to end
    bool collision{false};
    friend bool operator==(NavigationStep const&, NavigationStep const&) = default;
};

/// A robot that walks to targets one after the other and is never reset (reset-free trial and
/// error, Chatzilygeroudis et al. 2018).
///
/// An action is an elite that controls the robot for an episode of its map, and the rest after it.
/// Falls end nothing. A target that is not reached after `max_actions` actions has failed, and the
/// robot walks on to the next from where it is. One per thread.
class Navigator {
  public:
    /// Throws ConfigError for a robot that cannot navigate.
    Navigator(Domain const& robot, RepertoirePtr repertoire, Course course,
              NavigationSettings const& settings);

    /// Starts at the origin of the arena, with heading 0, in the domain's initial state and after a
    /// rest. All random numbers come from the stream.
    void reset(Stream const& stream);
    [[nodiscard]] bool finished() const;
    /// Plans and makes the next action. `check` is called now and then; it may throw.
    void act(std::function<void()> const& check);

    [[nodiscard]] std::vector<NavigationStep> const& steps() const { return steps_; }
    /// The simulation became infinite or undefined: there are no further actions.
    [[nodiscard]] bool diverged() const { return robot_.task().diverged(); }

    /// The number of the target that the next action leads to.
    [[nodiscard]] std::int64_t target() const { return target_; }

    /// Called after every control step with the pose and the model's coordinates in the arena.
    std::function<void(GroundPose const& pose, std::vector<double> const& qpos)> on_control_step;

  private:
    void control(Eigen::Index action, std::function<void()> const& check);
    void rest(std::function<void()> const& check);
    void step();
    void skip_done_targets();

    mutable GroundRobot robot_;
    RepertoirePtr repertoire_;
    Arena arena_;
    std::vector<GroundPoint> targets_;
    NavigationSettings settings_;
    std::int64_t control_steps_;  ///< of an action, without the rest
    std::int64_t rest_steps_;
    ForwardPass forward_;
    std::vector<double> observation_;
    std::vector<float> inputs_;
    std::vector<double> controls_;
    std::optional<Stream> stream_;
    std::optional<DisplacementModel> model_;
    std::optional<WayPoints> way_points_;
    GroundPose pose_;
    std::int64_t target_{0};
    std::int64_t tried_{0};  ///< actions for this target
    std::vector<NavigationStep> steps_;
};

}  // namespace mees
