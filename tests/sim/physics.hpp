#pragma once

#include "mees/core/stream.hpp"
#include "mees/sim/mujoco.hpp"
#include "mees/sim/task.hpp"

#include "catch.hpp"

#include <memory>
#include <string>
#include <vector>

namespace mees::test {

inline Stream stream_of(std::int64_t index)
{
    return Stream{7, Purpose::test, Generation{0}, index};
}

inline DomainSettings settings_for(std::string const& name, std::vector<std::string> damage = {})
{
    DomainSettings settings;
    settings.name = name;
    settings.damage = std::move(damage);
    settings.sleep_seconds = 0.001;
    return settings;
}

/// A domain of the physical kind with one task of it.
struct World {
    explicit World(DomainSettings const& settings)
        : domain{make_domain(settings)},
          task{domain->make_task()},
          physics{dynamic_cast<PhysicsTask&>(*task)}
    {
    }

    [[nodiscard]] TaskSpec const& spec() const { return domain->spec(); }
    [[nodiscard]] mjModel const& model() const { return physics.model(); }
    /// For holding a body where a test wants it, in the middle of an episode.
    [[nodiscard]] mjData& data() { return const_cast<mjData&>(physics.data()); }

    [[nodiscard]] std::vector<double> rest_qpos() const
    {
        return {model().qpos0, model().qpos0 + model().nq};
    }
    [[nodiscard]] std::vector<double> rest_qvel() const
    {
        return std::vector<double>(static_cast<std::size_t>(model().nv));
    }
    [[nodiscard]] std::vector<double> actions(double value = 0) const
    {
        return std::vector<double>(static_cast<std::size_t>(spec().action_size), value);
    }
    [[nodiscard]] std::vector<double> bc() const
    {
        std::vector<double> values(spec().bc_names.size());
        task->behaviour(values);
        return values;
    }
    [[nodiscard]] double joint_angle(std::string const& name) const
    {
        return physics.qpos()[static_cast<std::size_t>(
            model().jnt_qposadr[find_id(model(), mjOBJ_JOINT, name, "joint")])];
    }

    std::shared_ptr<Domain const> domain;
    std::unique_ptr<Task> task;
    PhysicsTask& physics;
};

}  // namespace mees::test
