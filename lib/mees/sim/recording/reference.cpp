#include "mees/sim/recording/reference.hpp"

#include "mees/core/error.hpp"
#include "mees/sim/detail/recorded_domain.hpp"
#include "mees/sim/mujoco.hpp"
#include "mees/sim/task.hpp"

#include <fmt/format.h>

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

FileError mismatch(std::string const& why)
{
    return FileError{"the recording does not fit its domain", why, recording_remedy};
}

void require_size(Values values, std::int64_t size, std::string_view what)
{
    if (std::ssize(values) != size) {
        throw mismatch(fmt::format("{} has {} values, not {}", what, values.size(), size));
    }
}

class Comparison {
  public:
    Comparison(std::string quantity, Values recorded, std::int64_t width)
        : deviation_{.quantity = std::move(quantity)},
          recorded_{recorded},
          width_{static_cast<std::size_t>(width)}
    {
    }

    void add(std::int64_t step, Values ours)
    {
        auto const row = recorded_.subspan(static_cast<std::size_t>(step) * width_, width_);
        double const d = distance(ours, row);
        deviation_.all = std::max(deviation_.all, d);
        if (step < ReferenceCheck::early_steps) {
            deviation_.early = deviation_.all;
        }
        if (d > ReferenceCheck::tolerance && !deviation_.first_beyond) {
            deviation_.first_beyond = step;
        }
    }

    [[nodiscard]] Deviation const& deviation() const { return deviation_; }

  private:
    Deviation deviation_;
    Values recorded_;
    std::size_t width_;
};

std::vector<double> first_of_each(double const* values, std::int64_t count, std::int64_t stride)
{
    std::vector<double> firsts;
    for (std::int64_t i = 0; i < count; ++i) {
        firsts.push_back(values[i * stride]);
    }
    return firsts;
}

std::vector<Deviation> compare_models(mjModel const& model, ModelFigures const& figures)
{
    std::vector<Deviation> deviations;
    auto const compare = [&](char const* quantity, Values ours, Values theirs, bool bodies) {
        if (theirs.size() < ours.size() || (!bodies && theirs.size() > ours.size())) {
            throw mismatch(fmt::format("model/{} has {} values, not {}", quantity, theirs.size(),
                                       ours.size()));
        }
        double const d = distance(ours, theirs);
        deviations.push_back({quantity, d, d, {}});
    };
    auto const span = [](double const* values, auto count) {
        return Values{values, static_cast<std::size_t>(count)};
    };
    compare("body_mass", span(model.body_mass, model.nbody), figures.body_mass, true);
    compare("body_inertia", span(model.body_inertia, 3 * model.nbody), figures.body_inertia, true);
    compare("qpos0", span(model.qpos0, model.nq), figures.qpos0, false);
    compare("jnt_range", span(model.jnt_range, 2 * model.njnt), figures.jnt_range, false);
    compare("dof_armature", span(model.dof_armature, model.nv), figures.dof_armature, false);
    compare("dof_damping", span(model.dof_damping, model.nv), figures.dof_damping, false);
    compare("actuator_gear", first_of_each(model.actuator_gear, model.nu, 6), figures.actuator_gear,
            false);
    compare("actuator_ctrlrange", span(model.actuator_ctrlrange, 2 * model.nu),
            figures.actuator_ctrlrange, false);
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

std::vector<Deviation> follow(Recording const& recording, PhysicsTask& task, TaskSpec const& spec)
{
    std::vector<double> observation(static_cast<std::size_t>(spec.observation_size));
    std::vector<double> bc(spec.bc_names.size());
    Comparison initial{"initial_observation", recording.initial_observation, spec.observation_size};
    Comparison qpos{"qpos", recording.qpos, std::ssize(task.qpos())};
    Comparison qvel{"qvel", recording.qvel, std::ssize(task.qvel())};
    Comparison observed{"observation", recording.observation, spec.observation_size};
    Comparison rewarded{"reward", recording.reward, 1};
    Comparison ended{"terminated", recording.terminated, 1};
    Comparison behaved{"bc", recording.bc, std::ssize(bc)};

    task.place(recording.initial_qpos, recording.initial_qvel);
    task.observe(observation);
    initial.add(0, observation);
    auto const actions = std::span{recording.action};
    auto const motors = static_cast<std::size_t>(spec.action_size);
    for (std::int64_t step = 0; step < recording.steps; ++step) {
        task.step(actions.subspan(static_cast<std::size_t>(step) * motors, motors));
        task.observe(observation);
        task.behaviour(bc);
        double const reward = task.reward();
        double const end = task.terminated() ? 1 : 0;
        qpos.add(step, task.qpos());
        qvel.add(step, task.qvel());
        observed.add(step, observation);
        rewarded.add(step, {&reward, 1});
        ended.add(step, {&end, 1});
        behaved.add(step, bc);
    }
    return {initial.deviation(),  qpos.deviation(),  qvel.deviation(),   observed.deviation(),
            rewarded.deviation(), ended.deviation(), behaved.deviation()};
}

}  // namespace

bool ReferenceCheck::passed() const
{
    auto const within = [](std::vector<Deviation> const& deviations, double limit) {
        return std::all_of(deviations.begin(), deviations.end(),
                           [&](Deviation const& d) { return d.early <= limit; });
    };
    return within(model, model_tolerance) && within(trajectory, tolerance);
}

ReferenceCheck check_reference(Recording const& recording, DomainRegistry const& domains)
{
    auto const domain = recorded_domain(recording, domains);
    auto const task = domain->make_task();
    auto* const physics = dynamic_cast<PhysicsTask*>(task.get());
    if (physics == nullptr) {
        throw mismatch(fmt::format("the domain \"{}\" has no physics", recording.domain));
    }
    require_sizes(recording, *physics, domain->spec());
    return {.model = compare_models(physics->model(), recording.model),
            .trajectory = follow(recording, *physics, domain->spec())};
}

}  // namespace mees
