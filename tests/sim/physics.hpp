#pragma once

#include "mees/core/stream.hpp"
#include "mees/sim/detail/compile.hpp"
#include "mees/sim/detail/shipped_models.hpp"
#include "mees/sim/mujoco.hpp"
#include "mees/sim/registry.hpp"

#include "catch.hpp"

#include <memory>
#include <string>
#include <vector>

namespace mees::test {

inline Stream stream_of(std::int64_t index)
{
    return Stream{7, Purpose::test, Generation{0}, index};
}

inline CompiledModel compile_model_text(std::string const& name, std::string_view text)
{
    return compile_model({name, std::string{text}, {}});
}

inline CompiledModel compile_shipped_model(std::string const& name)
{
    return compile_model_text(name, shipped_file(name + ".xml"));
}

inline DomainPtr make_domain(DomainSettings const& settings)
{
    return DomainRegistry{}.make(settings);
}

inline DomainSettings settings_for(std::string const& name, std::vector<std::string> damage = {})
{
    DomainSettings settings;
    settings.name = name;
    settings.damage = std::move(damage);
    settings.sleep_seconds = 0.001;
    return settings;
}

/// A model of configs/models: the BC is the contact share of its feet, forward velocity is
/// rewarded.
inline DomainSettings custom_model(std::string const& name, std::vector<std::string> feet)
{
    auto settings = settings_for("mjcf");
    settings.mjcf.model = MEES_SOURCE_DIR "/configs/models/" + name + ".xml";
    settings.mjcf.bc = BehaviourKind::contact_share;
    settings.mjcf.bc_geoms = std::move(feet);
    settings.mjcf.reward = {{.kind = RewardKind::forward_velocity},
                            {.kind = RewardKind::control_cost, .weight = 0.1}};
    return settings;
}

inline DomainSettings walker()
{
    return custom_model("walker", {"right_foot", "left_foot"});
}

/// The point of docs/process-domain, or another environment.
inline DomainSettings in_process(std::vector<std::string> command = {MEES_POINT_ENVIRONMENT})
{
    auto settings = settings_for("process");
    settings.process.command = std::move(command);
    return settings;
}

/// The domain of that name; for a custom model, a walker.
inline DomainSettings example_of(std::string const& name)
{
    if (name == "process") {
        return in_process();
    }
    return name == "mjcf" ? walker() : settings_for(name);
}

/// A domain with physics, and one task of it.
struct World {
    explicit World(DomainSettings const& settings)
        : domain{make_domain(settings)},
          task{domain->make_task()},
          physics{dynamic_cast<PhysicsTask&>(*task)}
    {
    }

    [[nodiscard]] TaskSpec const& spec() const { return domain->spec(); }
    [[nodiscard]] mjModel const& model() const { return physics.model(); }
    /// Mutable, so that a test can move a body during an episode.
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
