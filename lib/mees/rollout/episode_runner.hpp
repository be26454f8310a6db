#pragma once

#include "mees/core/stopwatch.hpp"
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
    std::int64_t chain_steps{1};  ///< control steps of each link of a chain but the last
};

/// Called once per control step; true drops the episode.
using AbortCheck = std::function<bool()>;

/// Called in the initial state of an episode, without an action, and after every control step.
using StepObserver = std::function<void(Task const& task, std::span<double const> action)>;

/// Makes the task of a variant of the domain.
using TaskMaker = std::function<std::unique_ptr<Task>(std::size_t variant)>;

/// Runs episodes: a policy acts in a task, one control step after the other.
///
/// The outcome depends on (batch, episode, noise table) alone, never on earlier episodes. Fitness
/// and BC are always finite; an episode in which a number stops being finite ends there as
/// `diverged`. An episode whose environment is lost is repeated as often as the domain says.
/// Nothing is allocated while an episode runs (except in a variant's first). One per thread.
class EpisodeRunner {
  public:
    /// `noise` is the complete table and must outlive the runner. Tasks come from `make_task`, by
    /// default from the domains.
    EpisodeRunner(RolloutSetup const& setup, std::span<float const> noise,
                  TaskMaker make_task = {});

    /// Runs one episode and writes its behaviour to `bc`; nothing if `abort` returned true.
    /// Observations are recorded if the specification asks for it. The observer sees an episode
    /// that is repeated from its initial state on.
    [[nodiscard]] std::optional<EpisodeOutcome> run(EpisodeSpec const& spec, std::span<double> bc,
                                                    AbortCheck const& abort,
                                                    StepObserver const& observer = {});

    // The same one control step at a time, for episodes that run together: `begin`, then
    // `begin_step` and `finish_step` while it is `running`, then `finish`. `abort` must outlive the
    // episode. An environment that is lost is not restarted.
    void begin(EpisodeSpec const& spec, AbortCheck const& abort);
    [[nodiscard]] bool running() const;
    /// False if the action is not finite: the episode has then ended before the step.
    [[nodiscard]] bool begin_step();
    void finish_step();
    [[nodiscard]] EpisodeOutcome finish(std::span<double> bc);

    /// Observations of the last episode: none unless its specification asked to record them.
    [[nodiscard]] ObservationMoments const& observations() const { return observations_; }

    /// Seconds in physics and policy since construction. The division between the two is sampled on
    /// one of 32 steps, so that reading the clock costs next to nothing.
    [[nodiscard]] WorkerTiming const& timing() const { return timing_; }

  private:
    /// Times an episode, and on every 32nd step how the time divides between policy and physics.
    struct StepClock {
        Stopwatch episode;
        Stopwatch part;
        double policy{0};
        double physics{0};
        bool sampled{false};

        void begin(std::int64_t step);
        /// Adds the time since the last call to `seconds`.
        void lap(double& seconds);
        void add_to(WorkerTiming& timing, std::int64_t steps) const;
    };
    /// The episode that runs.
    struct Episode {
        Task* task;
        ControllerPtr centre;    ///< the last link
        Controller const* link;  ///< that acts, for its normaliser
        std::int64_t link_ends;  ///< the step at which the next link follows
        Stream action;
        double action_noise;
        bool records_observations;
        bool leaves_out;
        EpisodeOutcome outcome;
        StepClock clock;
    };

    [[nodiscard]] Task& task_of(EpisodeSpec const& spec);
    void load_parameters(EpisodeSpec const& spec);
    void begin_link(std::int64_t number);
    [[nodiscard]] bool act();
    void leave_out();
    [[nodiscard]] std::optional<EpisodeOutcome> run_once(EpisodeSpec const& spec,
                                                         std::span<double> bc,
                                                         AbortCheck const& abort,
                                                         StepObserver const& observer);
    void forget_observations();

    TaskMaker make_task_;
    std::vector<std::unique_ptr<Task>> tasks_;  ///< by variant, made when first needed
    std::int64_t episode_steps_;
    std::int64_t restarts_;
    double observation_clip_;
    std::vector<std::int64_t> training_without_;
    std::int64_t chain_steps_;
    FitnessRule fitness_rule_;
    std::span<float const> noise_;
    ForwardPass forward_;
    std::int64_t parameter_count_;
    std::vector<float> last_link_;  ///< parameters of a chain's last link, until it acts
    std::vector<double> observation_;
    std::vector<float> inputs_;
    std::vector<double> action_;
    ObservationMoments observations_;
    WorkerTiming timing_;
    std::optional<Episode> episode_;
};

}  // namespace mees
