#include "mees/storage/recording_file.hpp"

#include "mees/core/process.hpp"
#include "mees/storage/detail/domain_group.hpp"
#include "mees/storage/hdf5/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mees {
namespace {

std::vector<double> finite_values(hdf5::Reader const& file, std::string const& dataset)
{
    auto values = file.values<double>(dataset);
    if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); })) {
        throw file.error(fmt::format("{} holds a number that is not finite", dataset));
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

void write_figures(hdf5::Writer& file, Recording const& recording)
{
    auto const& model = recording.model;
    auto const write = [&](char const* name, std::vector<double> const& values,
                           std::int64_t columns) {
        auto const rows = std::ssize(values) / columns;
        file.dataset(fmt::format("/model/{}", name), std::span<double const>{values},
                     columns > 1 ? hdf5::Shape{rows, columns} : hdf5::Shape{rows});
    };
    file.group("/model");
    write("body_mass", model.body_mass, 1);
    write("body_inertia", model.body_inertia, 3);
    write("qpos0", model.qpos0, 1);
    write("jnt_range", model.jnt_range, 2);
    write("dof_armature", model.dof_armature, 1);
    write("dof_damping", model.dof_damping, 1);
    write("actuator_gear", model.actuator_gear, 1);
    write("actuator_ctrlrange", model.actuator_ctrlrange, 2);
    file.dataset("/model/nq_nv_nu_nbody_ngeom", recording.sizes);
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

/// Seconds that reading may take; the longest recordings take a thousandth of it.
constexpr unsigned time_limit = 20;

Recording read_any_layout(std::filesystem::path const& path)
{
    hdf5::Reader const file{path, hdf5::Layout::any};
    Recording recording;
    recording.domain = file.text("/", "domain");
    recording.engine_version = file.text("/", "mujoco_version");
    if (file.has_attribute("/", "config")) {
        recording.config = file.text("/", "config");
    }
    recording.carried = read_domain(file);
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

}  // namespace

Recording read_recording(std::filesystem::path const& path)
{
    // Other programs write recordings too, in a layout whose damage the library does not notice and
    // may crash on.
    if (hdf5::layout_of(path) == hdf5::Layout::any
        && !completes_in_subprocess([&] { static_cast<void>(read_any_layout(path)); },
                                    {.seconds = time_limit})) {
        throw FileError{fmt::format("cannot use {}", path.string()),
                        "it is damaged: the HDF5 library fails on it", "Record it again."};
    }
    return read_any_layout(path);
}

void write_recording(std::filesystem::path const& path, Recording const& recording)
{
    hdf5::Writer file{path};
    file.attribute("/", "domain", recording.domain);
    file.attribute("/", "mujoco_version", recording.engine_version);
    file.attribute("/", "seed", recording.seed);
    if (!recording.config.empty()) {
        file.attribute("/", "config", recording.config);
    }
    if (recording.carried) {
        write_domain(file, *recording.carried);
    }
    write_figures(file, recording);
    file.dataset("/initial_qpos", recording.initial_qpos);
    file.dataset("/initial_qvel", recording.initial_qvel);
    file.dataset("/initial_observation", recording.initial_observation);
    for (auto const& [name, values] :
         {std::pair{"/action", &recording.action}, std::pair{"/qpos", &recording.qpos},
          std::pair{"/qvel", &recording.qvel}, std::pair{"/observation", &recording.observation},
          std::pair{"/bc", &recording.bc}}) {
        file.dataset(
            name, std::span<double const>{*values},
            {recording.steps, std::ssize(*values) / std::max<std::int64_t>(recording.steps, 1)});
    }
    file.dataset("/reward", recording.reward);
    file.dataset("/terminated", std::vector<std::uint8_t>(recording.terminated.begin(),
                                                          recording.terminated.end()));
    file.dataset("/contacts", recording.contacts);
    file.finish();
}

}  // namespace mees
