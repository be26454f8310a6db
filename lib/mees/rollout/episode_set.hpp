#pragma once

#include "mees/rollout/episode_runner.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace mees {

/// Where the episodes of an EpisodeSet come from and where their results go.
struct EpisodeQueue {
    /// The index of the next episode; nothing if there is none.
    std::function<std::optional<std::int64_t>()> next;
    /// May be asked again for an episode that is repeated.
    std::function<EpisodeSpec(std::int64_t index)> spec;
    /// The observations are null unless the specification asked to record them.
    std::function<void(std::int64_t index, EpisodeOutcome const& outcome,
                       std::span<double const> bc, ObservationMoments const* observations)>
        done;
};

/// Runs episodes in one thread: one after the other, or as many at once as the domain says
/// (`TaskSpec::batch`), step by step together, so that an environment in another process receives
/// one message for all of them.
///
/// Outcomes are those of EpisodeRunner, bit for bit, however many run at once. Results come in the
/// order in which episodes end.
class EpisodeSet {
  public:
    /// `noise` is the complete table and must outlive the set.
    EpisodeSet(RolloutSetup const& setup, std::span<float const> noise);

    /// Runs all episodes of the queue; false if `abort` returned true.
    [[nodiscard]] bool run(EpisodeQueue const& queue, AbortCheck const& abort);

    /// The episodes that run, or of which one failed, ascending; never empty.
    [[nodiscard]] std::vector<std::int64_t> current() const;
    /// Where the time went since construction.
    [[nodiscard]] WorkerTiming timing() const;

  private:
    enum class Phase : std::uint8_t { idle, fresh, running };
    struct Lane {
        EpisodeRunner runner;
        Phase phase{Phase::idle};
        std::int64_t episode{0};
        std::int64_t lost{0};  ///< how often its environment was lost
        bool records{false};
        bool stepping{false};
    };

    [[nodiscard]] bool fill(EpisodeQueue const& queue, AbortCheck const& abort);
    void step(EpisodeQueue const& queue);
    void repeat(EnvironmentLost const& error);

    std::vector<Lane> lanes_;
    std::int64_t restarts_;
    std::vector<double> bc_;
};

}  // namespace mees
