#pragma once

#include "mees/core/error.hpp"
#include "mees/core/stop.hpp"
#include "mees/evaluation/batch.hpp"
#include "mees/evaluation/lost_episode.hpp"
#include "mees/evaluation/result.hpp"

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mees {

/// Where the time of one worker (a rank or a thread) went since the start, in seconds.
struct WorkerTiming {
    std::string name;
    double physics{0};
    double policy{0};
    double waiting{0};
    std::int64_t episodes{0};
    std::int64_t steps{0};
};

/// Runs episodes: on threads of this process, or on 512 ranks.
///
/// Guarantees: results depend on the batch only, bit for bit, never on the number of workers or on
/// which of them was faster.
class Evaluator {
  public:
    Evaluator() = default;
    Evaluator(Evaluator const&) = delete;
    Evaluator& operator=(Evaluator const&) = delete;
    virtual ~Evaluator() = default;

    /// Runs every episode of the batch; nothing if a stop was requested meanwhile (at once, also in
    /// the middle of long episodes).
    [[nodiscard]] virtual std::optional<BatchResult> evaluate(Batch const& batch,
                                                              StopToken& stop) = 0;

    /// After a stop: what a worker was running when its process ended, if one did and it is known.
    [[nodiscard]] virtual std::vector<LostEpisode> lost_episodes() const { return {}; }

    /// How many episodes run at the same time.
    [[nodiscard]] virtual std::int32_t workers() const = 0;

    /// One entry per worker.
    [[nodiscard]] virtual std::vector<WorkerTiming> timing() const = 0;

    /// `evaluate` calls `work` several times a second while it waits for episodes, in its own
    /// thread; an empty function ends that.
    void while_waiting(std::function<void()> work) { work_ = std::move(work); }

    /// An evaluator that has to end the process, because it would hang, calls `work` before, in a
    /// thread of its own; an empty function ends that.
    void before_exit(std::function<void()> work)
    {
        std::lock_guard const lock{exit_};  // waits for the end of the process if that has begun
        last_work_ = std::move(work);
    }

  protected:
    void work_while_waiting() const
    {
        if (work_) {
            work_();
        }
    }

    /// Calls `exit`, which does not return, after that work.
    void work_and_exit(std::function<void()> const& exit)
    {
        std::lock_guard const lock{exit_};
        if (last_work_) {
            last_work_();
        }
        exit();
    }

  private:
    std::function<void()> work_;
    std::mutex exit_;
    std::function<void()> last_work_;
};

/// A worker's process ended, or gives no sign of life.
class WorkerLost : public ClusterError {
  public:
    WorkerLost(std::string_view problem, std::string_view why, std::string_view remedy,
               std::vector<LostEpisode> episodes = {})
        : ClusterError{problem, why, remedy}, episodes_{std::move(episodes)}
    {
    }

    /// What it was running: several where a worker runs several at once. Empty if it is unknown, or
    /// cannot be the cause.
    [[nodiscard]] std::vector<LostEpisode> const& episodes() const { return episodes_; }

  private:
    std::vector<LostEpisode> episodes_;
};

}  // namespace mees
