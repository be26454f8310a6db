#include "mees/sim/detail/mujoco_domain.hpp"

#include "mees/core/error.hpp"
#include "mees/sim/detail/reduced_model.hpp"

#include <fmt/format.h>

#include <utility>

namespace mees {
namespace {

void set_integrator(mjModel& model, Integrator integrator)
{
    switch (integrator) {
        case Integrator::model:
            break;
        case Integrator::rk4:
            model.opt.integrator = mjINT_RK4;
            break;
        case Integrator::euler:
            model.opt.integrator = mjINT_EULER;
            break;
        case Integrator::implicitfast:
#if mjVERSION_HEADER >= 233
            model.opt.integrator = mjINT_IMPLICITFAST;
            break;
#else
            throw ConfigError{"invalid domain.integrator = \"implicitfast\"",
                              fmt::format("MuJoCo {} does not have it", engine_version()),
                              "Build with MuJoCo 2.3.3 or later, or use rk4 or euler."};
#endif
    }
}

CompiledModel with_integrator(CompiledModel model, Integrator integrator)
{
    set_integrator(*model.full, integrator);
    if (model.reduced) {
        set_integrator(*model.reduced, integrator);
    }
    return model;
}

MutableModel damaged_copy(mjModel const& model, Damage const& damage)
{
    auto copy = copy_model(model);
    damage.apply(*copy);
    return copy;
}

/// Without the reduced model if that does not move as the full one.
std::shared_ptr<CompiledModel const> checked(CompiledModel model)
{
    if (model.reduced && !match_contacts(*model.reduced, *model.full)) {
        model.reduced.reset();
    }
    return std::make_shared<CompiledModel const>(std::move(model));
}

}  // namespace

MujocoDomain::MujocoDomain(CompiledModel model, TaskSpec spec, TaskMaker make)
    : MujocoDomain{nullptr, checked(std::move(model)), std::move(spec), std::move(make)}
{
}

MujocoDomain::MujocoDomain(SharedModel undamaged, SharedModel model, TaskSpec spec, TaskMaker make)
    : model_{std::move(model)},
      undamaged_{undamaged ? std::move(undamaged) : model_},
      spec_{std::move(spec)},
      make_{std::move(make)}
{
    spec_.model_sha256 = mees::model_sha256(*model_->full);
}

std::unique_ptr<Task> MujocoDomain::make_task() const
{
    auto const& simulated = model_->reduced ? model_->reduced : model_->full;
    return make_(ModelPtr{model_, simulated.get()}, spec_);
}

ModelPtr MujocoDomain::full_model() const
{
    return {model_, model_->full.get()};
}

std::shared_ptr<Domain const> MujocoDomain::with_damage(Damage const& damage) const
{
    CompiledModel damaged{.full = damaged_copy(*undamaged_->full, damage), .reduced = {}};
    if (undamaged_->reduced) {
        damaged.reduced = damaged_copy(*undamaged_->reduced, damage);
    }
    return std::shared_ptr<Domain const>{
        new MujocoDomain{undamaged_, checked(std::move(damaged)), spec_, make_}};
}

CompiledModel prepare_shipped_model(std::string const& name, DomainSettings const& settings)
{
    return with_integrator(compile_shipped_model(name), settings.integrator);
}

CompiledModel prepare_model_file(std::filesystem::path const& path, DomainSettings const& settings)
{
    return with_integrator(compile_model_file(path), settings.integrator);
}

}  // namespace mees
