#include "mees/sim/ground_robot.hpp"

#include "mees/core/error.hpp"
#include "mees/sim/mujoco.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace mees {
namespace {

using Quaternion = std::array<double, 4>;

ConfigError cannot_walk(Domain const& domain, std::string const& why)
{
    return {fmt::format("cannot navigate with the domain {}", domain.spec().name), why,
            "Use a map of a robot that walks on a plane."};
}

std::unique_ptr<PhysicsTask> walking_task(Domain const& domain)
{
    auto task = domain.make_task();
    auto* const physics = dynamic_cast<PhysicsTask*>(task.get());
    if (physics == nullptr) {
        throw cannot_walk(domain, "it is not simulated from a model");
    }
    static_cast<void>(task.release());
    return std::unique_ptr<PhysicsTask>{physics};
}

/// The joint of the base.
int base_of(mjModel const& model, Domain const& domain)
{
    int base = -1;
    for (int joint = 0; joint < model.njnt; ++joint) {
        if (model.jnt_type[joint] == mjJNT_FREE) {
            if (base >= 0) {
                throw cannot_walk(domain, "its model has several free joints");
            }
            base = joint;
        }
    }
    if (base < 0) {
        throw cannot_walk(domain, "its model has no free joint");
    }
    for (int joint = 0; joint < model.njnt; ++joint) {
        if (model.body_rootid[model.jnt_bodyid[joint]]
            != model.body_rootid[model.jnt_bodyid[base]]) {
            throw cannot_walk(domain, "its model has joints outside the robot");
        }
    }
    if (model.na > 0) {
        throw cannot_walk(domain, "its model has actuators with a state");
    }
    return base;
}

/// a times b: b, then a.
Quaternion product(Quaternion const& a, Quaternion const& b)
{
    return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
            a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
}

/// About the vertical axis.
Quaternion turn(double angle)
{
    return {std::cos(angle / 2), 0, 0, std::sin(angle / 2)};
}

void turn_base(double* qpos, double angle)
{
    auto const turned = product(turn(angle), {qpos[3], qpos[4], qpos[5], qpos[6]});
    std::ranges::copy(turned, qpos + 3);
}

}  // namespace

double GroundPose::heading() const
{
    return std::atan2(sin, cos);
}

GroundPose moved(GroundPose const& from, GroundPose const& step)
{
    double const length = std::sqrt(step.cos * step.cos + step.sin * step.sin);
    double const c = length > 0 ? step.cos / length : 1;
    double const s = length > 0 ? step.sin / length : 0;
    return {from.x + from.cos * step.x - from.sin * step.y,
            from.y + from.sin * step.x + from.cos * step.y, from.cos * c - from.sin * s,
            from.sin * c + from.cos * s};
}

GroundRobot::GroundRobot(Domain const& domain) : task_{walking_task(domain)}
{
    auto const& model = task_->model();
    int const base = base_of(model, domain);
    qpos_ = static_cast<std::size_t>(model.jnt_qposadr[base]);
    qvel_ = static_cast<std::size_t>(model.jnt_dofadr[base]);
}

GroundPose GroundRobot::pose() const
{
    auto const* const q = task_->qpos().data() + qpos_;
    double const x = q[3] * q[3] + q[4] * q[4] - q[5] * q[5] - q[6] * q[6];
    double const y = 2 * (q[4] * q[5] + q[3] * q[6]);
    double const length = std::sqrt(x * x + y * y);
    if (length == 0) {
        return {q[0], q[1], 1, 0};
    }
    return {q[0], q[1], x / length, y / length};
}

// The linear velocity of a free joint is in the axes of the world, its angular velocity in those of
// the body.
void GroundRobot::begin()
{
    auto const from = pose();
    std::vector<double> qpos(task_->qpos().begin(), task_->qpos().end());
    std::vector<double> qvel(task_->qvel().begin(), task_->qvel().end());
    auto* const q = qpos.data() + qpos_;
    auto* const v = qvel.data() + qvel_;
    q[0] = 0;
    q[1] = 0;
    turn_base(q, -from.heading());
    double const vx = v[0];
    double const vy = v[1];
    v[0] = from.cos * vx + from.sin * vy;
    v[1] = from.cos * vy - from.sin * vx;
    task_->place(qpos, qvel);
}

std::vector<double> GroundRobot::world_qpos(GroundPose const& origin) const
{
    std::vector<double> qpos(task_->qpos().begin(), task_->qpos().end());
    auto* const q = qpos.data() + qpos_;
    auto const at = moved(origin, {q[0], q[1], 1, 0});
    q[0] = at.x;
    q[1] = at.y;
    turn_base(q, origin.heading());
    return qpos;
}

}  // namespace mees
