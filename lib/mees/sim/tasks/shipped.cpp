#include "mees/sim/detail/mjcf_task.hpp"
#include "mees/sim/detail/mujoco_domain.hpp"
#include "mees/sim/detail/shipped_models.hpp"
#include "mees/sim/registry.hpp"

#include <utility>

namespace mees {
namespace {

/// The forces on all bodies, clipped as in Gym's Ant-v2.
Quantity clipped_contact_forces()
{
    Quantity forces;
    forces.source = QuantitySource::cfrc_ext;
    forces.clip = 1;
    return forces;
}

/// models/NAME.toml as the settings change it.
TaskDescription shipped_task(std::string const& name, DomainSettings const& settings)
{
    auto task = parse_description(shipped_file(name + ".toml"), name);
    apply_settings(settings, task);
    task.contact_forces = task.contact_forces && settings.contact_costs;
    return task;
}

/// The task in the world of models/NAME.xml or of `model`.
DomainPtr make_shipped(std::string const& name, TaskDescription task, ModelText const* model)
{
    return make_mujoco_domain(
        model != nullptr ? *model : ModelText{name, std::string{shipped_file(name + ".xml")}, {}},
        std::move(task));
}

DomainPtr make_shipped(std::string const& name, DomainSettings const& settings,
                       ModelText const* model)
{
    return make_shipped(name, shipped_task(name, settings), model);
}

}  // namespace

DomainPtr make_ant(DomainSettings const& settings, ModelText const* model)
{
    auto task = shipped_task("ant", settings);
    if (settings.contact_forces) {
        task.observation.push_back(clipped_contact_forces());
    }
    if (settings.mjcf.bc == BehaviourKind::displacement) {
        task.bc = {displacement_of("torso")};
    }
    return make_shipped("ant", std::move(task), model);
}

DomainPtr make_ant_maze(DomainSettings const& settings, ModelText const* model)
{
    return make_shipped("ant_maze", settings, model);
}

DomainPtr make_deceptive_humanoid(DomainSettings const& settings, ModelText const* model)
{
    return make_shipped("deceptive_humanoid", settings, model);
}

DomainPtr make_point_maze(DomainSettings const& settings, ModelText const* model)
{
    return make_shipped("point_maze", settings, model);
}

DomainPtr make_point_maze_two_traps(DomainSettings const& settings, ModelText const* model)
{
    return make_shipped("point_maze_two_traps", settings, model);
}

DomainPtr make_half_cheetah(DomainSettings const& settings, ModelText const* model)
{
    return make_shipped("half_cheetah", settings, model);
}

DomainPtr make_hopper(DomainSettings const& settings, ModelText const* model)
{
    return make_shipped("hopper", settings, model);
}

DomainPtr make_walker2d(DomainSettings const& settings, ModelText const* model)
{
    return make_shipped("walker2d", settings, model);
}

}  // namespace mees
