#include "mees/sim/detail/mujoco_task.hpp"

#include "mees/core/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

double seconds_of(mjModel const& model, TaskDescription const& description)
{
    return static_cast<double>(description.frame_skip) * model.opt.timestep;
}

int keyframe_of(mjModel const& model, std::string const& name)
{
    return name.empty() ? -1 : find_id(model, mjOBJ_KEY, name, "keyframe");
}

std::vector<BoundQuantity> bind(mjModel const& model, std::vector<Quantity> const& parts)
{
    std::vector<BoundQuantity> bound;
    for (auto const& part : parts) {
        bound.emplace_back(model, part);
    }
    return bound;
}

std::size_t bc_size(TaskDescription const& description)
{
    std::size_t size = 0;
    for (auto const& part : description.bc) {
        size += part.names.size();
    }
    return size;
}

}  // namespace

MujocoTask::MujocoTask(ModelPtr model, TaskDescription const& description, mjModel const* open)
    : model_{std::move(model)},
      data_{make_data(*model_)},
      steps_{*model_, open},
      rules_{.frame_skip = description.frame_skip,
             .keyframe = keyframe_of(*model_, description.keyframe),
             .noise = description.noise,
             .velocity_noise = description.velocity_noise,
             .contact_forces = description.contact_forces,
             .fitness = description.fitness,
             .action_offset = description.action_offset,
             .action_scale = description.action_scale},
      observation_{bind(*model_, description.observation)},
      measure_{*model_, description.reward, seconds_of(*model_, description)},
      limits_{*model_, description.end, seconds_of(*model_, description)},
      characteriser_{*model_, description.bc, seconds_of(*model_, description)},
      action_(static_cast<std::size_t>(model_->nu)),
      terms_(description.reward.size()),
      bc_(bc_size(description))
{
    if (!rules_.action_offset.empty() && rules_.action_offset.size() != action_.size()) {
        throw ConfigError{"invalid action mapping of the domain",
                          fmt::format("it has {} entries, the model has {} motors",
                                      rules_.action_offset.size(), action_.size()),
                          "Give an offset and a scale per motor."};
    }
}

std::span<double const> MujocoTask::qpos() const
{
    return span_of(data_->qpos, model_->nq);
}

std::span<double const> MujocoTask::qvel() const
{
    return span_of(data_->qvel, model_->nv);
}

void MujocoTask::restart()
{
    if (rules_.keyframe >= 0) {
        mj_resetDataKeyframe(model_.get(), data_.get(), rules_.keyframe);
    } else {
        mj_resetData(model_.get(), data_.get());
    }
}

void MujocoTask::reset(Stream& stream)
{
    restart();
    perturb_state(stream);
    begin_episode();
}

void MujocoTask::place(std::span<double const> qpos, std::span<double const> qvel)
{
    expects(std::ssize(qpos) == model_->nq && std::ssize(qvel) == model_->nv,
            "the state has the model's sizes");
    restart();
    std::copy(qpos.begin(), qpos.end(), data_->qpos);
    std::copy(qvel.begin(), qvel.end(), data_->qvel);
    begin_episode();
}

void MujocoTask::perturb_state(Stream& stream)
{
    double const noise = rules_.noise;
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
                v += noise * stream.normal();
                break;
        }
    }
}

void MujocoTask::begin_episode()
{
    mj_forward(model_.get(), data_.get());
    reward_ = 0;
    std::ranges::fill(action_, 0.0);
    std::ranges::fill(terms_, 0.0);
    measure_.begin(state());
    limits_.begin(state());
    characteriser_.begin(state(), bc_);
    if (rules_.fitness == FitnessRule::last_reward) {
        measure_.measure(state(), terms_);
    }
    fitness_ = std::accumulate(terms_.begin(), terms_.end(), 0.0);
    diverged_ = !healthy();
}

void MujocoTask::observe(std::span<double> observation) const
{
    for (auto const& part : observation_) {
        part.read(state(), observation);
        observation = observation.subspan(part.size());
    }
}

void MujocoTask::set_control()
{
    for (std::size_t i = 0; i < action_.size(); ++i) {
        data_->ctrl[i] = rules_.action_offset.empty()
                             ? action_[i]
                             : rules_.action_offset[i] + rules_.action_scale[i] * action_[i];
    }
}

void MujocoTask::step(std::span<double const> action)
{
    expects(std::ssize(action) == model_->nu, "an action has a value per motor");
    if (diverged_) {
        return;
    }
    measure_.begin(state());
    limits_.begin(state());
    std::ranges::copy(action, action_.begin());
    set_control();
    for (std::int64_t i = 0; i < rules_.frame_skip; ++i) {
        steps_.step(*data_);
    }
    if (rules_.contact_forces) {
        mj_rnePostConstraint(model_.get(), data_.get());
    }
    measure_.measure(state(), terms_);
    reward_ = std::accumulate(terms_.begin(), terms_.end(), 0.0);
    if (!healthy() || !std::isfinite(reward_)) {
        std::ranges::fill(terms_, 0.0);
        reward_ = 0;
        diverged_ = true;
        return;
    }
    fitness_ = rules_.fitness == FitnessRule::last_reward ? reward_ : fitness_ + reward_;
    characteriser_.add(state(), bc_);
}

bool MujocoTask::healthy() const
{
    auto const unwarned = std::all_of(std::begin(data_->warning), std::end(data_->warning),
                                      [](auto const& warning) { return warning.number == 0; });
    return unwarned && all_usable(qpos()) && all_usable(qvel());
}

void MujocoTask::behaviour(std::span<double> bc) const
{
    std::ranges::copy(bc_, bc.begin());
}

namespace {

/// Where the fitness is a negative distance to a point and the BC is the same position: that of the
/// farthest corner of the map, to one decimal; elsewhere 0.
double lowest_fitness(TaskDescription const& description)
{
    double lowest = 0;
    for (auto const& reward : description.reward) {
        for (auto const& bc : description.bc) {
            auto const& point = reward.measure.point;
            if (description.fitness != FitnessRule::last_reward
                || reward.measure.kind != MeasureKind::distance
                || bc.kind != CharacterKind::final_value || reward.measure.quantity != bc.quantity
                || point.size() != bc.lower.size()) {
                continue;
            }
            double squared = 0;
            for (std::size_t i = 0; i < point.size(); ++i) {
                double const far = std::max(point[i] - bc.lower[i], bc.upper[i] - point[i]);
                squared += far * far;
            }
            lowest += std::min(0.0, reward.weight) * std::sqrt(squared);
        }
    }
    return std::floor(lowest * 10) / 10;
}

}  // namespace

TaskSpec spec_of(mjModel const& model, TaskDescription const& description)
{
    TaskSpec spec{.name = description.name,
                  .action_size = model.nu,
                  .episode_steps = description.episode_steps,
                  .seconds_per_step = seconds_of(model, description),
                  .fitness = description.fitness,
                  .lowest_fitness = lowest_fitness(description),
                  .model_sha256 = {}};
    for (auto const& part : bind(model, description.observation)) {
        spec.observation_size += static_cast<std::int64_t>(part.size());
    }
    for (auto const& part : description.reward) {
        spec.reward_terms.push_back(part.name);
    }
    auto const append = [](auto& to, auto const& from) {
        to.insert(to.end(), from.begin(), from.end());
    };
    for (auto const& part : description.bc) {
        append(spec.bc_names, part.names);
        append(spec.bc_lower, part.lower);
        append(spec.bc_upper, part.upper);
        append(spec.bc_bins, part.bins);
    }
    return spec;
}

}  // namespace mees
