#include "mees/rollout/episode_runner.hpp"

#include "mees/config/bounds.hpp"
#include "mees/core/eigen_span.hpp"
#include "mees/core/error.hpp"
#include "mees/core/log.hpp"
#include "mees/es/perturbation.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace mees {
namespace {

constexpr std::int64_t steps_per_sample = 32;

template <class Value>
bool all_finite(std::span<Value const> values)
{
    return std::ranges::all_of(values, [](Value value) { return std::isfinite(value); });
}

/// False for NaN, too.
bool is_usable(double value)
{
    return std::abs(value) <= bounds::largest_outcome;
}

}  // namespace

void EpisodeRunner::StepClock::begin(std::int64_t step)
{
    sampled = step % steps_per_sample == 0;
    if (sampled) {
        part.restart();
    }
}

void EpisodeRunner::StepClock::lap(double& seconds)
{
    if (sampled) {
        seconds += part.restart();
    }
}

void EpisodeRunner::StepClock::add_to(WorkerTiming& timing, std::int64_t steps) const
{
    double const total = episode.seconds();
    double const share = policy + physics > 0 ? policy / (policy + physics) : 0;
    timing.policy += share * total;
    timing.physics += (1 - share) * total;
    timing.steps += steps;
    timing.episodes += 1;
}

EpisodeRunner::EpisodeRunner(RolloutSetup const& setup, std::span<float const> noise,
                             TaskMaker make_task)
    : make_task_{std::move(make_task)},
      tasks_(setup.domains.size()),
      episode_steps_{setup.domains.at(0)->spec().episode_steps},
      restarts_{setup.domains.at(0)->spec().restarts},
      observation_clip_{setup.observation_clip},
      training_without_{setup.training_without},
      chain_steps_{setup.chain_steps},
      fitness_rule_{setup.domains.at(0)->spec().fitness},
      noise_{noise},
      forward_{setup.network},
      parameter_count_{setup.network.parameter_count()},
      observation_(static_cast<std::size_t>(setup.network.inputs())),
      inputs_(observation_.size()),
      action_(static_cast<std::size_t>(setup.network.outputs())),
      observations_{ObservationMoments::none(setup.network.inputs())}
{
    for (auto const& domain : setup.domains) {
        expects(setup.network.inputs() == domain->spec().observation_size,
                "as many inputs as observations");
        expects(setup.network.outputs() == domain->spec().action_size,
                "as many outputs as actions");
    }
    if (!make_task_) {
        make_task_ = [domains = setup.domains](std::size_t variant) {
            return domains[variant]->make_task();
        };
    }
    tasks_[0] = make_task_(0);
}

Task& EpisodeRunner::task_of(EpisodeSpec const& spec)
{
    auto const variant = static_cast<std::size_t>(spec.group->variant);
    expects(variant < tasks_.size(), "a variant of the domain that exists");
    if (!tasks_[variant]) {
        tasks_[variant] = make_task_(variant);
    }
    return *tasks_[variant];
}

/// Of the last link: the only one, or kept until it acts.
void EpisodeRunner::load_parameters(EpisodeSpec const& spec)
{
    Perturbation const parameters{*spec.group, spec.member, noise_, spec.centre};
    expects(parameters.size() == parameter_count_, "a controller of the network's size");
    if (spec.group->centre->before == nullptr) {
        forward_.load(std::cref(parameters));
    } else {
        last_link_.resize(static_cast<std::size_t>(parameter_count_));
        parameters(0, last_link_);
    }
}

/// Lets link `number` (from 0) of the episode's chain act from now on.
void EpisodeRunner::begin_link(std::int64_t number)
{
    auto& episode = *episode_;
    auto const later = links_of(episode.centre) - 1 - number;
    episode.link = episode.centre.get();
    for (std::int64_t i = 0; i < later; ++i) {
        episode.link = episode.link->before.get();
    }
    if (later > 0) {
        forward_.load(span_of(episode.link->parameters));
    } else if (number > 0) {
        forward_.load(last_link_);
    }
    episode.link_ends = later == 0 ? episode_steps_ : (number + 1) * chain_steps_;
}

void EpisodeRunner::forget_observations()
{
    observations_.count = 0;
    observations_.sum.setZero();
    observations_.sum_of_squares.setZero();
}

/// Observes and computes the action; false if a number is not finite.
bool EpisodeRunner::act()
{
    auto& episode = *episode_;
    episode.task->observe(observation_);
    if (episode.records_observations) {
        if (!all_finite(std::span<double const>{observation_})) {
            return false;
        }
        observations_.add(observation_);
    }
    episode.link->normaliser.apply(observation_, inputs_, observation_clip_);
    auto const outputs = forward_(inputs_);
    if (!all_finite(outputs)) {
        return false;
    }
    std::ranges::copy(outputs, action_.begin());
    if (episode.action_noise > 0) {
        for (auto& value : action_) {
            value += episode.action_noise * episode.action.normal();
        }
    }
    return true;
}

/// Takes note of the step's reward that training leaves out.
void EpisodeRunner::leave_out()
{
    double reward = 0;
    for (auto const term : training_without_) {
        reward += episode_->task->terms()[static_cast<std::size_t>(term)];
    }
    switch (fitness_rule_) {
        case FitnessRule::sum_of_rewards:
            episode_->outcome.left_out += reward;
            break;
        case FitnessRule::last_reward:
            episode_->outcome.left_out = reward;
            break;
    }
}

void EpisodeRunner::begin(EpisodeSpec const& spec, AbortCheck const& abort)
{
    auto& task = task_of(spec);
    auto const& group = *spec.group;
    task.watch(abort);
    load_parameters(spec);
    auto reset_stream = spec.reset;
    task.reset(reset_stream);
    forget_observations();
    episode_.emplace(
        Episode{.task = &task,
                .centre = group.centre,
                .link = nullptr,
                .link_ends = 0,
                .action = spec.action,
                .action_noise = static_cast<double>(group.action_noise),
                .records_observations = spec.records_observations,
                .leaves_out = !training_without_.empty() && group.kind == EpisodeKind::training,
                .outcome = {},
                .clock = {}});
    begin_link(0);
    // Where fitness is minus a distance, an episode that ends before its first step is not worth 0.
    if (double const initial = task.fitness(); is_usable(initial)) {
        episode_->outcome.fitness = initial;
    }
}

bool EpisodeRunner::running() const
{
    auto const& outcome = episode_->outcome;
    return outcome.steps < episode_steps_ && outcome.end == EpisodeEnd::completed;
}

bool EpisodeRunner::begin_step()
{
    auto& outcome = episode_->outcome;
    auto& clock = episode_->clock;
    clock.begin(outcome.steps);
    if (outcome.steps == episode_->link_ends) {
        begin_link(outcome.steps / chain_steps_);
    }
    if (!act()) {
        outcome.end = EpisodeEnd::diverged;
        return false;
    }
    clock.lap(clock.policy);
    episode_->task->begin_step(action_);
    return true;
}

void EpisodeRunner::finish_step()
{
    auto& task = *episode_->task;
    auto& outcome = episode_->outcome;
    task.finish_step();
    episode_->clock.lap(episode_->clock.physics);
    ++outcome.steps;
    double const fitness = task.fitness();
    if (task.diverged() || !is_usable(fitness)) {
        outcome.end = EpisodeEnd::diverged;
    } else if (task.terminated()) {
        outcome.end = EpisodeEnd::terminated;
    }
    if (is_usable(fitness)) {
        outcome.fitness = fitness;
    }
    if (episode_->leaves_out) {
        leave_out();
    }
}

EpisodeOutcome EpisodeRunner::finish(std::span<double> bc)
{
    auto& outcome = episode_->outcome;
    episode_->clock.add_to(timing_, outcome.steps);
    if (!(observations_.sum_of_squares.array() <= bounds::largest_outcome * bounds::largest_outcome)
             .all()) {
        forget_observations();
        outcome.end = EpisodeEnd::diverged;
    }
    episode_->task->behaviour(bc);
    for (auto& value : bc) {
        if (!is_usable(value)) {
            value = 0;
            outcome.end = EpisodeEnd::diverged;
        }
    }
    return outcome;
}

std::optional<EpisodeOutcome> EpisodeRunner::run_once(EpisodeSpec const& spec, std::span<double> bc,
                                                      AbortCheck const& abort,
                                                      StepObserver const& observer)
{
    begin(spec, abort);
    auto const& task = *episode_->task;
    if (observer) {
        observer(task, {});
    }
    while (running()) {
        if (abort()) {
            return std::nullopt;
        }
        if (begin_step()) {
            finish_step();
            if (observer) {
                observer(task, action_);
            }
        }
    }
    return finish(bc);
}

std::optional<EpisodeOutcome> EpisodeRunner::run(EpisodeSpec const& spec, std::span<double> bc,
                                                 AbortCheck const& abort,
                                                 StepObserver const& observer)
{
    for (std::int64_t lost = 0;; ++lost) {
        try {
            return run_once(spec, bc, abort, observer);
        } catch (EpisodeDropped const&) {
            return std::nullopt;
        } catch (EnvironmentLost const& error) {
            if (lost == restarts_) {
                throw;
            }
            log::warning("{}; the episode is repeated in a new process", error.what());
        }
    }
}

}  // namespace mees
