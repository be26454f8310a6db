#pragma once

#include "mees/rollout/episode_runner.hpp"
#include "mees/sim/recording/recording.hpp"

#include <cstdint>
#include <vector>

namespace mees {

/// The result of an episode, with its reward split into the domain's terms.
struct ReplayedEpisode {
    EpisodeOutcome outcome;
    std::vector<double> bc;
    std::vector<double> terms;  ///< each summed over the episode
};

/// An episode with its complete trajectory.
struct RecordedReplay {
    ReplayedEpisode episode;
    Recording recording;
    std::vector<double>
        fitness;  ///< accumulated: in the initial state, then after each control step
};

/// Runs a controller's episodes again. Episode i depends on (controller, seed, i) only.
class Replayer {
  public:
    Replayer(RolloutSetup setup, ControllerPtr controller, std::uint64_t seed);

    /// Episodes 0 .. count - 1, on that many threads.
    [[nodiscard]] std::vector<ReplayedEpisode> run(std::int32_t count, unsigned threads) const;

    /// Throws ConfigError for a domain without physics.
    [[nodiscard]] RecordedReplay record(std::int32_t episode) const;

  private:
    [[nodiscard]] ReplayedEpisode run_one(EpisodeRunner& runner, std::int32_t episode,
                                          StepObserver const& observer) const;

    RolloutSetup setup_;
    ControllerPtr controller_;
    std::uint64_t seed_;
};

}  // namespace mees
