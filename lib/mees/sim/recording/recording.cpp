#include "mees/sim/recording/recording.hpp"

#include "mees/sim/mujoco.hpp"

namespace mees {
namespace {

void append(std::vector<double>& values, std::span<double const> more)
{
    values.insert(values.end(), more.begin(), more.end());
}

ModelFigures figures_of(mjModel const& model)
{
    auto const values = [](mjtNum const* begin, auto count) {
        return std::vector<double>(begin, begin + count);
    };
    std::vector<double> gears;
    for (int motor = 0; motor < model.nu; ++motor) {
        gears.push_back(model.actuator_gear[6 * motor]);
    }
    return {.body_mass = values(model.body_mass, model.nbody),
            .body_inertia = values(model.body_inertia, 3 * model.nbody),
            .qpos0 = values(model.qpos0, model.nq),
            .jnt_range = values(model.jnt_range, 2 * model.njnt),
            .dof_armature = values(model.dof_armature, model.nv),
            .dof_damping = values(model.dof_damping, model.nv),
            .actuator_gear = std::move(gears),
            .actuator_ctrlrange = values(model.actuator_ctrlrange, 2 * model.nu)};
}

}  // namespace

TrajectoryRecorder::TrajectoryRecorder(TaskSpec const& spec, PhysicsTask const& task,
                                       std::int64_t seed)
    : observation_(static_cast<std::size_t>(spec.observation_size)), bc_(spec.bc_names.size())
{
    auto const& model = task.model();
    recording_.domain = spec.name;
    recording_.engine_version = engine_version();
    recording_.seed = seed;
    recording_.model = figures_of(model);
    recording_.sizes = {model.nq, model.nv, model.nu, model.nbody, model.ngeom};
    append(recording_.initial_qpos, task.qpos());
    append(recording_.initial_qvel, task.qvel());
    task.observe(observation_);
    recording_.initial_observation = observation_;
}

void TrajectoryRecorder::add(PhysicsTask const& task, std::span<double const> action)
{
    ++recording_.steps;
    task.observe(observation_);
    task.behaviour(bc_);
    append(recording_.action, action);
    append(recording_.qpos, task.qpos());
    append(recording_.qvel, task.qvel());
    append(recording_.observation, observation_);
    append(recording_.bc, bc_);
    recording_.reward.push_back(task.reward());
    recording_.terminated.push_back(task.terminated() ? 1 : 0);
    recording_.contacts.push_back(task.data().ncon);
}

}  // namespace mees
