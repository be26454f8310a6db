#include "mees/sim/detail/mjcf_task.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace mees {
namespace {

constexpr int trial_steps = 10;
constexpr double smallest_motion = 1e-6;

std::string name_of(mjModel const& model, mjtObj type, int id)
{
    auto const* name = mj_id2name(&model, type, id);
    return name != nullptr && *name != 0 ? name : fmt::format("#{}", id);
}

void restart(mjModel const& model, mjData& data, TaskDescription const& task)
{
    int const key = mj_name2id(&model, mjOBJ_KEY, task.keyframe.c_str());
    if (key >= 0 && !task.keyframe.empty()) {
        mj_resetDataKeyframe(&model, &data, key);
    } else {
        mj_resetData(&model, &data);
    }
}

/// The positions after a few control steps with the same action of all motors.
std::vector<double> positions_after(mjModel const& model, TaskDescription const& task,
                                    double action)
{
    auto const data = make_data(model);
    restart(model, *data, task);
    for (int motor = 0; motor < model.nu; ++motor) {
        auto const i = static_cast<std::size_t>(motor);
        data->ctrl[motor] = task.action_offset.empty()
                                ? action
                                : task.action_offset[i] + task.action_scale[i] * action;
    }
    for (std::int64_t step = 0; step < trial_steps * task.frame_skip; ++step) {
        mj_step(&model, data.get());
    }
    return {data->qpos, data->qpos + model.nq};
}

bool motors_move_it(mjModel const& model, TaskDescription const& task)
{
    auto const one = positions_after(model, task, 1);
    auto const other = positions_after(model, task, -1);
    for (std::size_t i = 0; i < one.size(); ++i) {
        if (!(std::abs(one[i] - other[i]) <= smallest_motion)) {
            return true;
        }
    }
    return false;
}

void note_motors(mjModel const& model, TaskDescription const& task, std::vector<std::string>& notes)
{
    if (!task.action_offset.empty()) {
        notes.push_back(
            "actions in -1..1 are mapped to the control range of each motor (domain.action = "
            "\"raw\" uses them as they are)");
        return;
    }
    for (int motor = 0; motor < model.nu; ++motor) {
        auto const* range = model.actuator_ctrlrange + 2 * motor;
        if (model.actuator_ctrllimited[motor] == 0 || (range[0] == -1 && range[1] == 1)) {
            continue;
        }
        bool const reached = range[0] < 1 && range[1] > -1;
        notes.push_back(
            fmt::format("actions in -1..1 {} the control range {:.4g}..{:.4g} of motor "
                        "{}: set domain.action = \"ctrlrange\"",
                        reached ? "do not match" : "never reach", range[0], range[1],
                        name_of(model, mjOBJ_ACTUATOR, motor)));
    }
}

void note_joints(mjModel const& model, TaskDescription const& task, std::vector<std::string>& notes)
{
    auto const data = make_data(model);
    restart(model, *data, task);
    std::vector<std::string> outside;
    for (int joint = 0; joint < model.njnt; ++joint) {
        bool const scalar =
            model.jnt_type[joint] == mjJNT_HINGE || model.jnt_type[joint] == mjJNT_SLIDE;
        auto const* range = model.jnt_range + 2 * joint;
        double const q = data->qpos[model.jnt_qposadr[joint]];
        if (scalar && model.jnt_limited[joint] != 0 && (q < range[0] || q > range[1])) {
            outside.push_back(fmt::format("{} at {:.4g}, outside {:.4g}..{:.4g}",
                                          name_of(model, mjOBJ_JOINT, joint), q, range[0],
                                          range[1]));
        }
    }
    if (outside.empty()) {
        return;
    }
    auto const keys = names_of(model, mjOBJ_KEY);
    notes.push_back(fmt::format(
        "episodes start with joints outside their limits ({}): {}", fmt::join(outside, "; "),
        keys.empty()
            ? "add a keyframe to the model and set domain.start"
            : fmt::format("set domain.start to a keyframe, such as \"{}\"", keys.front())));
}

}  // namespace

std::vector<std::string> notes_on(mjModel const& model, TaskDescription const& description)
{
    std::vector<std::string> notes;
    note_motors(model, description, notes);
    note_joints(model, description, notes);
    if (!motors_move_it(model, description)) {
        notes.emplace_back(
            "the robot does not move: its positions are the same whatever its motors do");
    }
    return notes;
}

}  // namespace mees
