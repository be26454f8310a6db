#include "mees/sim/recording/reference.hpp"

#include "mees/config/config.hpp"
#include "mees/core/error.hpp"
#include "mees/sim/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace mees {
namespace {

using Values = std::span<double const>;

/// NaN counts as infinite.
double distance(Values ours, Values theirs)
{
    double largest = 0;
    for (std::size_t i = 0; i < ours.size(); ++i) {
        double const difference = std::abs(ours[i] - theirs[i]);
        largest = std::isnan(difference) ? std::numeric_limits<double>::infinity()
                                         : std::max(largest, difference);
    }
    return largest;
}

constexpr char const* recording_remedy =
    "Record it again with mees_replay --trajectory, or use one of a domain with default settings.";

FileError unusable(std::string const& why)
{
    return FileError{"cannot set up the domain of the recording", why, recording_remedy};
}

FileError mismatch(std::string const& why)
{
    return FileError{"the recording does not fit its domain", why, recording_remedy};
}

/// By the recording's configuration, or by default if it has none (as recordings of other
/// programs).
DomainSettings settings_of(Recording const& recording, DomainRegistry const& domains)
{
    auto const known = names_of(domains.known());
    if (std::ranges::find(known, recording.domain) == known.end()) {
        throw unusable(fmt::format("unknown domain \"{}\"; there are {}", recording.domain,
                                   fmt::join(known, ", ")));
    }
    if (!recording.config.empty()) {
        auto settings =
            parse_settings(recording.config, "its configuration", {}, {domains.known()}).domain;
        if (settings.name != recording.domain) {
            throw unusable(fmt::format("its domain is {}, that of its configuration {}",
                                       recording.domain, settings.name));
        }
        return settings;
    }
    if (domains.reads_model_file(recording.domain)) {
        throw unusable(
            "it is of a custom model (mjcf) and contains no configuration that describes it");
    }
    DomainSettings settings;
    settings.name = recording.domain;
    return settings;
}

DomainPtr domain_of(Recording const& recording, DomainRegistry const& domains)
{
    try {
        auto const settings = settings_of(recording, domains);
        bool const custom = recording.carried && domains.reads_model_file(settings.name);
        return (custom ? domains.carrying(recording.carried, settings) : domains.without_files())
            .make(settings);
    } catch (ConfigError const& error) {
        throw unusable(error.what());
    }
}

void require_size(Values values, std::int64_t size, std::string_view what)
{
    if (std::ssize(values) != size) {
        throw mismatch(fmt::format("{} has {} values, not {}", what, values.size(), size));
    }
}

std::vector<Deviation> compare_models(ModelFigures const& ours, ModelFigures const& theirs)
{
    std::vector<Deviation> deviations;
    auto const compare = [&](char const* quantity, std::vector<double> ModelFigures::*figure,
                             bool bodies = false) {
        auto const& mine = ours.*figure;
        auto const& other = theirs.*figure;
        if (other.size() < mine.size() || (!bodies && other.size() > mine.size())) {
            throw mismatch(
                fmt::format("model/{} has {} values, not {}", quantity, other.size(), mine.size()));
        }
        double const d = distance(mine, other);
        deviations.push_back({quantity, d, d, {}});
    };
    compare("body_mass", &ModelFigures::body_mass, true);
    compare("body_inertia", &ModelFigures::body_inertia, true);
    compare("qpos0", &ModelFigures::qpos0);
    compare("jnt_range", &ModelFigures::jnt_range);
    compare("dof_armature", &ModelFigures::dof_armature);
    compare("dof_damping", &ModelFigures::dof_damping);
    compare("actuator_gear", &ModelFigures::actuator_gear);
    compare("actuator_ctrlrange", &ModelFigures::actuator_ctrlrange);
    return deviations;
}

void require_sizes(Recording const& recording, PhysicsTask const& task, TaskSpec const& spec)
{
    auto const nq = std::ssize(task.qpos());
    auto const nv = std::ssize(task.qvel());
    auto const steps = recording.steps;
    require_size(recording.initial_qpos, nq, "initial_qpos");
    require_size(recording.initial_qvel, nv, "initial_qvel");
    require_size(recording.initial_observation, spec.observation_size, "initial_observation");
    require_size(recording.action, steps * spec.action_size, "action");
    require_size(recording.qpos, steps * nq, "qpos");
    require_size(recording.qvel, steps * nv, "qvel");
    require_size(recording.observation, steps * spec.observation_size, "observation");
    require_size(recording.reward, steps, "reward");
    require_size(recording.terminated, steps, "terminated");
    require_size(recording.bc, steps * std::ssize(spec.bc_names), "bc");
}

/// This program's trajectory from the recorded initial state, with the recorded actions.
Recording repeat(Recording const& recording, PhysicsTask& task, TaskSpec const& spec)
{
    task.place(recording.initial_qpos, recording.initial_qvel);
    TrajectoryRecorder recorder{spec, task, recording.seed};
    auto const motors = static_cast<std::size_t>(spec.action_size);
    for (Values rest{recording.action}; !rest.empty(); rest = rest.subspan(motors)) {
        task.step(rest.first(motors));
        recorder.add(task, rest.first(motors));
    }
    return recorder.recording();
}

std::vector<Deviation> compare_trajectories(Recording const& ours, Recording const& theirs)
{
    auto const compare = [&](char const* quantity, std::vector<double> Recording::*values,
                             std::int64_t steps) {
        Deviation deviation{.quantity = quantity};
        auto const width =
            (ours.*values).size() / static_cast<std::size_t>(std::max(steps, std::int64_t{1}));
        for (std::int64_t step = 0; step < steps; ++step) {
            auto const row = [&](Recording const& recording) {
                return Values{recording.*values}.subspan(static_cast<std::size_t>(step) * width,
                                                         width);
            };
            double const d = distance(row(ours), row(theirs));
            deviation.all = std::max(deviation.all, d);
            if (step < ReferenceCheck::early_steps) {
                deviation.early = deviation.all;
            }
            if (d > ReferenceCheck::tolerance && !deviation.first_beyond) {
                deviation.first_beyond = step;
            }
        }
        return deviation;
    };
    return {compare("initial_observation", &Recording::initial_observation, 1),
            compare("qpos", &Recording::qpos, ours.steps),
            compare("qvel", &Recording::qvel, ours.steps),
            compare("observation", &Recording::observation, ours.steps),
            compare("reward", &Recording::reward, ours.steps),
            compare("terminated", &Recording::terminated, ours.steps),
            compare("bc", &Recording::bc, ours.steps)};
}

}  // namespace

bool ReferenceCheck::passed() const
{
    auto const within = [](std::vector<Deviation> const& deviations, double limit) {
        return std::ranges::all_of(deviations,
                                   [&](Deviation const& d) { return d.early <= limit; });
    };
    return within(model, model_tolerance) && within(trajectory, tolerance);
}

ReferenceCheck check_reference(Recording const& recording, DomainRegistry const& domains)
{
    auto const domain = domain_of(recording, domains);
    auto const task = domain->make_task();
    auto* const physics = dynamic_cast<PhysicsTask*>(task.get());
    if (physics == nullptr) {
        throw mismatch(fmt::format("the domain \"{}\" has no physics", recording.domain));
    }
    require_sizes(recording, *physics, domain->spec());
    auto const ours = repeat(recording, *physics, domain->spec());
    return {.model = compare_models(ours.model, recording.model),
            .trajectory = compare_trajectories(ours, recording)};
}

}  // namespace mees
