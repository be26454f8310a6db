#include "mees/navigation/navigator.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mees {

Navigator::Navigator(Domain const& robot, RepertoirePtr repertoire, Course course,
                     NavigationSettings const& settings)
    : robot_{robot},
      repertoire_{std::move(repertoire)},
      arena_{std::move(course.arena)},
      targets_{std::move(course.targets)},
      settings_{settings},
      control_steps_{robot.spec().episode_steps},
      rest_steps_{static_cast<std::int64_t>(
          std::ceil(settings.rest_seconds / robot.spec().seconds_per_step))},
      forward_{repertoire_->network},
      observation_(static_cast<std::size_t>(robot.spec().observation_size)),
      inputs_(observation_.size()),
      controls_(static_cast<std::size_t>(robot.spec().action_size))
{
}

void Navigator::reset(Stream const& stream)
{
    stream_ = stream;
    model_.emplace(repertoire_, settings_.model, settings_.learning);
    steps_.clear();
    pose_ = {};
    target_ = 0;
    tried_ = 0;
    robot_.task().reset(*stream_);
    rest([] {});
    way_points_.emplace(arena_, targets_.front());
    skip_done_targets();
}

bool Navigator::finished() const
{
    return target_ == std::ssize(targets_) || diverged();
}

void Navigator::step()
{
    robot_.task().step(controls_);
    if (on_control_step) {
        on_control_step(moved(pose_, robot_.pose()), robot_.world_qpos(pose_));
    }
}

void Navigator::control(Eigen::Index action, std::function<void()> const& check)
{
    auto const& controller = *repertoire_->controllers[static_cast<std::size_t>(action)];
    forward_.load(
        {controller.parameters.data(), static_cast<std::size_t>(controller.parameters.size())});
    for (std::int64_t i = 0; i < control_steps_ && !diverged(); ++i) {
        check();
        robot_.task().observe(observation_);
        controller.normaliser.apply(observation_, inputs_, repertoire_->observation_clip);
        std::ranges::copy(forward_(inputs_), controls_.begin());
        step();
    }
}

void Navigator::rest(std::function<void()> const& check)
{
    for (std::int64_t i = 0; i < rest_steps_ && !diverged(); ++i) {
        check();
        robot_.task().rest_action(controls_);
        step();
    }
}

void Navigator::skip_done_targets()
{
    auto const done = [&] {
        auto const& target = targets_[static_cast<std::size_t>(target_)];
        return tried_ == settings_.max_actions
               || distance({pose_.x, pose_.y}, target) < arena_.goal_radius();
    };
    while (target_ < std::ssize(targets_) && done()) {
        ++target_;
        tried_ = 0;
        if (target_ < std::ssize(targets_)) {
            way_points_.emplace(arena_, targets_[static_cast<std::size_t>(target_)]);
        }
    }
}

void Navigator::act(std::function<void()> const& check)
{
    auto const action = plan({.arena = &arena_,
                              .way_points = &*way_points_,
                              .target = targets_[static_cast<std::size_t>(target_)],
                              .start = pose_},
                             *model_, settings_.planner, *stream_, check);
    auto const expected = moved(pose_, model_->mean(action));
    robot_.begin();
    control(action, check);
    rest(check);
    if (diverged()) {
        return;  // where the robot is now has no meaning
    }
    auto const step = robot_.pose();
    auto const after = moved(pose_, step);
    steps_.push_back({.target = target_,
                      .cell = repertoire_->cells[static_cast<std::size_t>(action)],
                      .pose = after,
                      .predicted = {expected.x, expected.y},
                      .collision = arena_.collides({pose_.x, pose_.y}, {after.x, after.y})});
    model_->observe(action, step);
    pose_ = after;
    ++tried_;
    skip_done_targets();
}

}  // namespace mees
