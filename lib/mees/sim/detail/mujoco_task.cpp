#include "mees/sim/detail/mujoco_task.hpp"

#include "mees/core/error.hpp"

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

}  // namespace

MujocoTask::MujocoTask(ModelPtr model, TaskSpec const& spec, EpisodeRules rules)
    : model_{std::move(model)},
      data_{make_data(*model_)},
      rules_{rules},
      fitness_rule_{spec.fitness},
      terms_(spec.reward_terms.size()),
      bc_(spec.bc_names.size())
{
    expects(rules_.frame_skip > 0, "a control step is at least one engine step");
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
    perturb_state(stream);
    begin_episode();
}

void MujocoTask::place(std::span<double const> qpos, std::span<double const> qvel)
{
    expects(std::ssize(qpos) == model_->nq && std::ssize(qvel) == model_->nv,
            "the state has the model's sizes");
    mj_resetData(model_.get(), data_.get());
    std::copy(qpos.begin(), qpos.end(), data_->qpos);
    std::copy(qvel.begin(), qvel.end(), data_->qvel);
    begin_episode();
}

void MujocoTask::perturb_state(Stream& stream)
{
    double const noise = rules_.reset_noise;
    for (auto& q : span_of(data_->qpos, model_->nq)) {
        q += stream.uniform(-noise, noise);
    }
    for (auto& v : span_of(data_->qvel, model_->nv)) {
        switch (rules_.velocity_noise) {
            case VelocityNoise::none:
                break;
            case VelocityNoise::uniform:
                v += stream.uniform(-noise, noise);
                break;
            case VelocityNoise::normal:
                v = noise * stream.normal();
                break;
        }
    }
}

void MujocoTask::begin_episode()
{
    mj_forward(model_.get(), data_.get());
    reward_ = 0;
    std::fill(terms_.begin(), terms_.end(), 0.0);
    begin(terms_, bc_);
    fitness_ = fitness_rule_ == FitnessRule::last_reward
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
    fitness_ = fitness_rule_ == FitnessRule::last_reward ? reward_ : fitness_ + reward_;
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

}  // namespace mees
