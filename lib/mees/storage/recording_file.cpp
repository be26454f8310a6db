#include "mees/storage/recording_file.hpp"

#include "mees/storage/hdf5.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mees {
namespace {

std::vector<double> finite_values(hdf5::Reader const& file, std::string const& dataset)
{
    auto values = file.values<double>(dataset);
    if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); })) {
        throw file.error(fmt::format("{} holds numbers that are not finite", dataset));
    }
    return values;
}

/// A dataset with a row per control step.
std::vector<double> step_values(hdf5::Reader const& file, std::string const& dataset,
                                std::int64_t steps)
{
    auto const shape = file.shape(dataset);
    if (shape.empty() || shape[0] != steps) {
        throw file.error(
            fmt::format("{} does not have {} rows, one per control step", dataset, steps));
    }
    return finite_values(file, dataset);
}

ModelFigures read_figures(hdf5::Reader const& file)
{
    return {.body_mass = finite_values(file, "/model/body_mass"),
            .body_inertia = finite_values(file, "/model/body_inertia"),
            .qpos0 = finite_values(file, "/model/qpos0"),
            .jnt_range = finite_values(file, "/model/jnt_range"),
            .dof_armature = finite_values(file, "/model/dof_armature"),
            .dof_damping = finite_values(file, "/model/dof_damping"),
            .actuator_gear = finite_values(file, "/model/actuator_gear"),
            .actuator_ctrlrange = finite_values(file, "/model/actuator_ctrlrange")};
}

}  // namespace

Recording read_recording(std::filesystem::path const& path)
{
    hdf5::Reader const file{path};
    Recording recording;
    recording.domain = file.text("/", "domain");
    recording.engine_version = file.text("/", "mujoco_version");
    auto const shape = file.shape("/action");
    if (shape.size() != 2 || shape[0] < 1) {
        throw file.error("/action is not a table with a row per control step");
    }
    recording.steps = shape[0];
    recording.model = read_figures(file);
    recording.initial_qpos = finite_values(file, "/initial_qpos");
    recording.initial_qvel = finite_values(file, "/initial_qvel");
    recording.initial_observation = finite_values(file, "/initial_observation");
    recording.action = step_values(file, "/action", recording.steps);
    recording.qpos = step_values(file, "/qpos", recording.steps);
    recording.qvel = step_values(file, "/qvel", recording.steps);
    recording.observation = step_values(file, "/observation", recording.steps);
    recording.reward = step_values(file, "/reward", recording.steps);
    recording.bc = step_values(file, "/bc", recording.steps);
    auto const ended = file.values<std::uint8_t>("/terminated", {recording.steps});
    recording.terminated.assign(ended.begin(), ended.end());
    return recording;
}

}  // namespace mees
