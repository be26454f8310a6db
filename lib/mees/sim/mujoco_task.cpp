#include "mees/sim/mujoco_task.hpp"

#include "mees/core/error.hpp"
#include "mees/sim/damage.hpp"
#include "mees/sim/lean_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mees {
namespace {

std::span<double> span_of(mjtNum* values, auto size)
{
    return {values, static_cast<std::size_t>(size)};
}

bool all_usable(std::span<double const> values)
{
    return std::all_of(values.begin(), values.end(),
                       [](double x) { return std::abs(x) < mjMAXVAL; });
}

void set_integrator(mjModel& model, std::string const& name)
{
    if (name == "model") {
        return;
    }
    if (name == "euler") {
        model.opt.integrator = mjINT_EULER;
    } else if (name == "rk4") {
        model.opt.integrator = mjINT_RK4;
    } else if (name == "implicitfast") {
#if mjVERSION_HEADER >= 233
        model.opt.integrator = mjINT_IMPLICITFAST;
#else
        throw ConfigError{"domain.integrator = \"implicitfast\" cannot be used",
                          fmt::format("MuJoCo {} does not have it", engine_version()),
                          "build with MuJoCo 2.3.3 or later, or use rk4 or euler"};
#endif
    } else {
        throw ConfigError{fmt::format("domain.integrator = \"{}\" is unknown", name),
                          "it is none of model, rk4, euler, implicitfast", "use one of these"};
    }
}

template <class Compile>
PreparedModel prepare(Compile const& compile, DomainSettings const& settings)
{
    auto const changed = [&](Detail detail) {
        auto model = compile(detail);
        set_integrator(*model, settings.integrator);
        apply_damage(*model, settings.damage);
        return model;
    };
    PreparedModel model{changed(Detail::whole), changed(Detail::lean)};
    if (!make_alike(*model.lean, *model.whole)) {
        model.lean = copy_model(*model.whole);
    }
    return model;
}

}  // namespace

MujocoTask::MujocoTask(ModelPtr model, TaskSpec const& spec, EpisodeRules rules)
    : model_{std::move(model)},
      data_{make_data(*model_)},
      rules_{rules},
      terms_(spec.reward_terms.size()),
      bc_(spec.bc_names.size())
{
    expects(rules_.frame_skip > 0, "a control step makes at least one engine step");
}

std::span<double const> MujocoTask::qpos() const
{
    return span_of(data_->qpos, model_->nq);
}

std::span<double const> MujocoTask::qvel() const
{
    return span_of(data_->qvel, model_->nv);
}

void MujocoTask::reset(Stream& stream)
{
    mj_resetData(model_.get(), data_.get());
    draw_state(stream, span_of(data_->qpos, model_->nq), span_of(data_->qvel, model_->nv));
    begin_episode();
}

void MujocoTask::place(std::span<double const> qpos, std::span<double const> qvel)
{
    expects(std::ssize(qpos) == model_->nq && std::ssize(qvel) == model_->nv,
            "the state must have the model's sizes");
    mj_resetData(model_.get(), data_.get());
    std::copy(qpos.begin(), qpos.end(), data_->qpos);
    std::copy(qvel.begin(), qvel.end(), data_->qvel);
    begin_episode();
}

void MujocoTask::begin_episode()
{
    mj_forward(model_.get(), data_.get());
    reward_ = 0;
    std::fill(terms_.begin(), terms_.end(), 0.0);
    begin(terms_, bc_);
    fitness_ = rules_.fitness == FitnessRule::last_reward
                   ? std::accumulate(terms_.begin(), terms_.end(), 0.0)
                   : 0.0;
    diverged_ = !healthy();
}

void MujocoTask::step(std::span<double const> action)
{
    expects(std::ssize(action) == model_->nu, "an action has a value per motor");
    if (diverged_) {
        return;
    }
    std::copy(action.begin(), action.end(), data_->ctrl);
    for (int i = 0; i < rules_.frame_skip; ++i) {
        mj_step(model_.get(), data_.get());
    }
    if (rules_.contact_forces) {
        mj_rnePostConstraint(model_.get(), data_.get());
    }
    measure(action, terms_);
    reward_ = std::accumulate(terms_.begin(), terms_.end(), 0.0);
    if (!healthy() || !std::isfinite(reward_)) {
        std::fill(terms_.begin(), terms_.end(), 0.0);
        reward_ = 0;
        diverged_ = true;
        return;
    }
    fitness_ = rules_.fitness == FitnessRule::last_reward ? reward_ : fitness_ + reward_;
    characterise(bc_);
}

bool MujocoTask::healthy() const
{
    auto const unwarned = std::all_of(std::begin(data_->warning), std::end(data_->warning),
                                      [](auto const& warning) { return warning.number == 0; });
    return unwarned && all_usable(qpos()) && all_usable(qvel());
}

void MujocoTask::behaviour(std::span<double> bc) const
{
    std::copy(bc_.begin(), bc_.end(), bc.begin());
}

MujocoDomain::MujocoDomain(PreparedModel model, TaskSpec spec, Factory factory)
    : whole_{std::move(model.whole)},
      lean_{std::move(model.lean)},
      spec_{std::move(spec)},
      factory_{std::move(factory)}
{
    spec_.model_sha256 = mees::model_sha256(*whole_);
}

PreparedModel prepare_shipped_model(std::string const& name, DomainSettings const& settings)
{
    return prepare([&](Detail detail) { return compile_shipped_model(name, detail); }, settings);
}

PreparedModel prepare_model_file(std::filesystem::path const& path, DomainSettings const& settings)
{
    return prepare([&](Detail detail) { return compile_model_file(path, detail); }, settings);
}

}  // namespace mees
