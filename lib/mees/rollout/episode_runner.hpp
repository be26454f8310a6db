#pragma once

#include "mees/evaluation/batch.hpp"
#include "mees/evaluation/evaluator.hpp"
#include "mees/policy/network.hpp"
#include "mees/sim/task.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace mees {

/// What a worker needs to run episodes.
struct RolloutSetup {
    /// Indexed by a group's variant; all agree with the first in sizes, BC and length.
    std::vector<std::shared_ptr<Domain const>> domains;
    NetworkShape network;
    double observation_clip{0};  ///< normalised inputs are clipped to +-this; 0: no clipping
    std::vector<std::int64_t> training_without;  ///< reward terms, by their index in `terms()`
};

/// Called once per control step; true drops the episode.
using AbortCheck = std::function<bool()>;

/// Called in the initial state of an episode, without an action, and after every control step.
using StepObserver = std::function<void(Task const& task, std::span<double const> action)>;

/// Runs episodes: a policy acts in a task, one control step after the other.
///
/// The outcome depends on (batch, episode, noise table) alone, never on earlier episodes. Fitness
/// and BC are always finite; an episode in which a number stops being finite ends there as
/// `diverged`. Nothing is allocated while an episode runs (except in a variant's first). One per
/// thread.
class EpisodeRunner {
  public:
    /// `noise` is the complete table and must outlive the runner.
    EpisodeRunner(RolloutSetup const& setup, std::span<float const> noise);

    /// Runs one episode and writes its behaviour to `bc`; nothing if `abort` returned true.
    /// Observations are recorded if the specification asks for it.
    [[nodiscard]] std::optional<EpisodeOutcome> run(EpisodeSpec const& spec, std::span<double> bc,
                                                    AbortCheck const& abort,
                                                    StepObserver const& observer = {});

    /// Observations of the last episode: none unless its specification asked to record them.
    [[nodiscard]] ObservationMoments const& observations() const { return observations_; }

    /// Seconds in physics and policy since construction. The division between the two is sampled on
    /// one of 32 steps, so that reading the clock costs next to nothing.
    [[nodiscard]] WorkerTiming const& timing() const { return timing_; }

  private:
    struct StepClock;

    [[nodiscard]] Task& task_of(EpisodeSpec const& spec);
    void load_parameters(EpisodeSpec const& spec);
    [[nodiscard]] bool act(Task const& task, EpisodeSpec const& spec, Stream& action_stream);
    void leave_out(Task const& task, EpisodeOutcome& outcome) const;
    [[nodiscard]] bool advance(Task& task, EpisodeSpec const& spec, Stream& action_stream,
                               StepClock& clock, EpisodeOutcome& outcome);
    [[nodiscard]] EpisodeOutcome finish(Task const& task, EpisodeOutcome outcome,
                                        std::span<double> bc);
    void forget_observations();

    std::vector<std::shared_ptr<Domain const>> domains_;
    std::vector<std::unique_ptr<Task>> tasks_;  ///< by variant, made when first needed
    std::int64_t episode_steps_;
    double observation_clip_;
    std::vector<std::int64_t> training_without_;
    FitnessRule fitness_rule_;
    std::span<float const> noise_;
    ForwardPass forward_;
    Eigen::VectorXf parameters_;  ///< Eigen aligns them to vector registers
    std::vector<double> observation_;
    std::vector<float> inputs_;
    std::vector<double> action_;
    ObservationMoments observations_;
    WorkerTiming timing_;
};

}  // namespace mees
