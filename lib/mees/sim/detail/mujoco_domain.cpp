#include "mees/sim/detail/mujoco_domain.hpp"

#include "mees/core/error.hpp"
#include "mees/sim/detail/apply_damage.hpp"
#include "mees/sim/detail/reduced_model.hpp"

#include <fmt/format.h>

#include <algorithm>
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
        case Integrator::implicit:
            model.opt.integrator = mjINT_IMPLICIT;
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

Integrator integrator_of(mjModel const& model)
{
    switch (model.opt.integrator) {
        case mjINT_RK4:
            return Integrator::rk4;
        case mjINT_EULER:
            return Integrator::euler;
        case mjINT_IMPLICIT:
            return Integrator::implicit;
        default:
            return Integrator::implicitfast;
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

/// Without the reduced model if that does not move as the full one.
std::shared_ptr<CompiledModel const> checked(CompiledModel model)
{
    if (model.reduced && !match_contacts(*model.reduced, *model.full)) {
        model.reduced.reset();
    }
    if (model.reduced) {
        model.without_walls = without_walls(*model.reduced, *model.full);
    }
    return std::make_shared<CompiledModel const>(std::move(model));
}

std::shared_ptr<CompiledModel const> damaged(CompiledModel const& model, Damage const& damage,
                                             TaskDescription const& description)
{
    ControlScale const scale{description.action_offset, description.action_scale};
    auto const changed = [&](MutableModel const& from) {
        auto copy = copy_model(*from);
        damage.apply(*copy, scale);
        return copy;
    };
    return checked({.full = changed(model.full),
                    .reduced = model.reduced ? changed(model.reduced) : nullptr,
                    .without_walls = nullptr});
}

}  // namespace

MujocoDomain::MujocoDomain(CompiledModel model, TaskDescription description,
                           std::shared_ptr<ModelText const> source, std::vector<std::string> notes)
    : undamaged_{checked(with_integrator(std::move(model), description.integrator))},
      model_{undamaged_},
      description_{std::move(description)},
      source_{std::move(source)},
      spec_{spec_of(*model_->full, description_)}
{
    spec_.notes = std::move(notes);
    description_.integrator = integrator_of(*model_->full);
    description_.damage_words = damage_words(*model_->full);
    if (!description_.damage.empty()) {
        model_ = damaged(*undamaged_, Damage::parse(description_.damage), description_);
    }
    finish();
}

MujocoDomain::MujocoDomain(MujocoDomain const& undamaged, Damage const& damage)
    : undamaged_{undamaged.undamaged_},
      model_{damaged(*undamaged_, damage, undamaged.description_)},
      description_{undamaged.description_},
      source_{undamaged.source_},
      spec_{undamaged.spec_}
{
    description_.damage.clear();
    for (auto const& part : damage.parts()) {
        description_.damage.push_back(part.text);
    }
    finish();
}

void MujocoDomain::finish()
{
    spec_.model_sha256 = mees::model_sha256(*model_->full);
    static_cast<void>(make_task());  // throws where the description does not fit the model
}

std::unique_ptr<Task> MujocoDomain::make_task() const
{
    auto const& simulated = model_->reduced ? model_->reduced : model_->full;
    return std::make_unique<MujocoTask>(ModelPtr{model_, simulated.get()}, description_,
                                        model_->without_walls.get());
}

ModelPtr MujocoDomain::full_model() const
{
    return {model_, model_->full.get()};
}

std::shared_ptr<DomainDocument const> MujocoDomain::document() const
{
    if (!source_) {
        return nullptr;
    }
    return std::make_shared<DomainDocument const>(
        DomainDocument{source_->text, to_toml(description_), source_->assets});
}

std::shared_ptr<Domain const> MujocoDomain::with_damage(Damage const& damage) const
{
    return std::shared_ptr<Domain const>{new MujocoDomain{*this, damage}};
}

std::shared_ptr<Domain const> make_mujoco_domain(ModelText model, TaskDescription description)
{
    auto compiled = compile_model(model);
    return std::make_shared<MujocoDomain const>(
        std::move(compiled), std::move(description),
        std::make_shared<ModelText const>(std::move(model)));
}

void apply_settings(DomainSettings const& settings, TaskDescription& description)
{
    if (settings.episode_steps > 0) {
        description.episode_steps = settings.episode_steps;
    }
    if (settings.integrator != Integrator::model) {
        description.integrator = settings.integrator;
    }
    if (!settings.terminate) {
        description.end.clear();
    }
}

}  // namespace mees
