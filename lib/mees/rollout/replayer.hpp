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

    /// Shows images of an episode's initial state (step 0) and of the state after each control
    /// step, where `wanted`. Throws ConfigError for a domain that does not draw them.
    void film(std::int32_t episode, std::function<bool(std::int64_t step)> const& wanted,
              std::function<void(RenderedFrame const&)> const& show) const;

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
