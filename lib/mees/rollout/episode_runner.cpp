#include "mees/rollout/episode_runner.hpp"

#include "mees/config/bounds.hpp"
#include "mees/core/error.hpp"
#include "mees/core/stopwatch.hpp"
#include "mees/es/perturbation.hpp"

#include <algorithm>
#include <cmath>

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

/// Times an episode, and on every 32nd step how the time divides between policy and physics.
struct EpisodeRunner::StepClock {
    Stopwatch episode;
    Stopwatch part;
    double policy{0};
    double physics{0};
    bool sampled{false};

    void begin(std::int64_t step)
    {
        sampled = step % steps_per_sample == 0;
        if (sampled) {
            part.restart();
        }
    }
    /// Adds the time since the last call to `seconds`.
    void lap(double& seconds)
    {
        if (sampled) {
            seconds += part.restart();
        }
    }
    void add_to(WorkerTiming& timing, std::int64_t steps) const
    {
        double const total = episode.seconds();
        double const share = policy + physics > 0 ? policy / (policy + physics) : 0;
        timing.policy += share * total;
        timing.physics += (1 - share) * total;
        timing.steps += steps;
        timing.episodes += 1;
    }
};

EpisodeRunner::EpisodeRunner(RolloutSetup const& setup, std::span<float const> noise)
    : domains_{setup.domains},
      tasks_(setup.domains.size()),
      episode_steps_{setup.domains.at(0)->spec().episode_steps},
      observation_clip_{setup.observation_clip},
      training_without_{setup.training_without},
      fitness_rule_{setup.domains.at(0)->spec().fitness},
      noise_{noise},
      forward_{setup.network},
      parameters_(setup.network.parameter_count()),
      observation_(static_cast<std::size_t>(setup.network.inputs())),
      inputs_(observation_.size()),
      action_(static_cast<std::size_t>(setup.network.outputs())),
      observations_{ObservationMoments::none(setup.network.inputs())}
{
    for (auto const& domain : domains_) {
        expects(setup.network.inputs() == domain->spec().observation_size,
                "as many inputs as observations");
        expects(setup.network.outputs() == domain->spec().action_size,
                "as many outputs as actions");
    }
    tasks_[0] = domains_[0]->make_task();
}

Task& EpisodeRunner::task_of(EpisodeSpec const& spec)
{
    auto const variant = static_cast<std::size_t>(spec.group->variant);
    expects(variant < tasks_.size(), "a variant of the domain that exists");
    if (!tasks_[variant]) {
        tasks_[variant] = domains_[variant]->make_task();
    }
    return *tasks_[variant];
}

void EpisodeRunner::load_parameters(EpisodeSpec const& spec)
{
    expects(spec.group->centre->parameters.size() == parameters_.size(),
            "a controller of the network's size");
    std::span<float> const parameters{parameters_.data(),
                                      static_cast<std::size_t>(parameters_.size())};
    perturb(*spec.group, spec.member, noise_, parameters);
    forward_.load(parameters);
}

void EpisodeRunner::forget_observations()
{
    observations_.count = 0;
    observations_.sum.setZero();
    observations_.sum_of_squares.setZero();
}

/// Observes and computes the action; false if a number is not finite.
bool EpisodeRunner::act(Task const& task, EpisodeSpec const& spec, Stream& action_stream)
{
    task.observe(observation_);
    if (spec.records_observations) {
        if (!all_finite(std::span<double const>{observation_})) {
            return false;
        }
        observations_.add(observation_);
    }
    spec.group->centre->normaliser.apply(observation_, inputs_, observation_clip_);
    auto const outputs = forward_(inputs_);
    if (!all_finite(outputs)) {
        return false;
    }
    std::ranges::copy(outputs, action_.begin());
    if (auto const scale = static_cast<double>(spec.group->action_noise); scale > 0) {
        for (auto& value : action_) {
            value += scale * action_stream.normal();
        }
    }
    return true;
}

EpisodeOutcome EpisodeRunner::finish(Task const& task, EpisodeOutcome outcome, std::span<double> bc)
{
    if (!(observations_.sum_of_squares.array() <= bounds::largest_outcome * bounds::largest_outcome)
             .all()) {
        forget_observations();
        outcome.end = EpisodeEnd::diverged;
    }
    task.behaviour(bc);
    for (auto& value : bc) {
        if (!is_usable(value)) {
            value = 0;
            outcome.end = EpisodeEnd::diverged;
        }
    }
    return outcome;
}

/// Takes note of the step's reward that training leaves out.
void EpisodeRunner::leave_out(Task const& task, EpisodeOutcome& outcome) const
{
    double reward = 0;
    for (auto const term : training_without_) {
        reward += task.terms()[static_cast<std::size_t>(term)];
    }
    switch (fitness_rule_) {
        case FitnessRule::sum_of_rewards:
            outcome.left_out += reward;
            break;
        case FitnessRule::last_reward:
            outcome.left_out = reward;
            break;
    }
}

/// One control step. False if there is no finite action: the episode then ends before the step.
bool EpisodeRunner::advance(Task& task, EpisodeSpec const& spec, Stream& action_stream,
                            StepClock& clock, EpisodeOutcome& outcome)
{
    clock.begin(outcome.steps);
    if (!act(task, spec, action_stream)) {
        outcome.end = EpisodeEnd::diverged;
        return false;
    }
    clock.lap(clock.policy);
    task.step(action_);
    clock.lap(clock.physics);
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
    if (!training_without_.empty() && spec.group->kind == EpisodeKind::training) {
        leave_out(task, outcome);
    }
    return true;
}

std::optional<EpisodeOutcome> EpisodeRunner::run(EpisodeSpec const& spec, std::span<double> bc,
                                                 AbortCheck const& abort,
                                                 StepObserver const& observer)
{
    auto& task = task_of(spec);
    load_parameters(spec);
    auto reset_stream = spec.reset;
    auto action_stream = spec.action;
    task.reset(reset_stream);
    forget_observations();
    if (observer) {
        observer(task, {});
    }
    EpisodeOutcome outcome;
    // Where fitness is minus a distance, an episode that ends before its first step is not worth 0.
    if (double const initial = task.fitness(); is_usable(initial)) {
        outcome.fitness = initial;
    }
    StepClock clock;
    while (outcome.steps < episode_steps_ && outcome.end == EpisodeEnd::completed) {
        if (abort()) {
            return std::nullopt;
        }
        if (advance(task, spec, action_stream, clock, outcome) && observer) {
            observer(task, action_);
        }
    }
    clock.add_to(timing_, outcome.steps);
    return finish(task, outcome, bc);
}

}  // namespace mees
