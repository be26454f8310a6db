#include "mees/experiment/run.hpp"

#include "mees/core/error.hpp"
#include "mees/core/log.hpp"
#include "mees/core/resources.hpp"
#include "mees/experiment/problem.hpp"
#include "mees/storage/checkpoint/folder_lock.hpp"

#include <fmt/format.h>

#include <chrono>
#include <thread>
#include <utility>

namespace mees {
namespace {

/// Releases a mutex that the caller holds, for as long as it exists.
class ReverseLock {
  public:
    explicit ReverseLock(std::mutex& mutex) : mutex_{mutex} { mutex_.unlock(); }
    ~ReverseLock() { mutex_.lock(); }
    ReverseLock(ReverseLock const&) = delete;
    ReverseLock& operator=(ReverseLock const&) = delete;

  private:
    std::mutex& mutex_;
};

}  // namespace

Run::Run(MapDocument document, SearchProblemPtr const& problem, Evaluator& evaluator,
         NoiseSource& noise, CheckpointWriter& checkpoints, RunReport& report)
    : problem_{problem},
      frame_{std::move(document)},
      algorithm_{make_algorithm(problem, std::move(frame_.state))},
      evaluator_{evaluator},
      noise_{noise},
      checkpoints_{checkpoints},
      report_{report},
      saved_seconds_{frame_.run.wall_seconds}
{
}

void Run::go(StopToken& stop)
{
    constexpr double checkpoints_to_reserve = 3;
    stop.reserve([this] { return checkpoints_to_reserve * checkpoints_.longest_seconds(); });
    std::jthread const rescuer{[this, known = continuations()](std::stop_token const& end) {
        save_after_signal(end, known);
    }};
    std::lock_guard const busy{busy_};
    try {
        evaluator_.while_waiting([&] { save_while_waiting(stop); });
        evaluator_.before_exit([this] { save_before_exit(); });
        loop(stop);
        release_evaluator();
    } catch (FolderLost const&) {
        release_evaluator();
        throw;
    } catch (...) {
        release_evaluator();
        if (changed_) {
            save();
            (void)checkpoints_.wait();
        }
        throw;
    }
    if (changed_) {
        save();
    }
    Stopwatch const waiting;
    auto const failure = checkpoints_.wait();
    checkpoint_seconds_ += waiting.seconds();
    if (failure) {
        bool const saved = checkpoints_.saved() == state().history.back().generation;
        throw Error{
            ExitCode::failure,
            saved ? "cannot keep the last checkpoint" : "cannot write the last checkpoint",
            *failure,
            "Free disk space or fix the folder, then run the same command again to resume from the "
            "newest checkpoint."};
    }
}

void Run::release_evaluator()
{
    evaluator_.while_waiting({});
    evaluator_.before_exit({});
}

void Run::loop(StopToken& stop)
{
    while (!algorithm_->finished() && !stop.requested()) {
        bool const told = with_resources([this] { return sizes_of(*problem_); },
                                         [&] { return generation(stop); });
        if (!told) {
            return;
        }
        auto const& history = state().history;
        if (history.empty()) {
            continue;  // more batches make the initial generation
        }
        bool const initial = history.size() == 1 && !checkpoints_.saved();
        if (initial || checkpoints_.due(history.back().generation)) {
            save();
        }
    }
}

/// A worker that does not answer must delay neither the state after a stop nor a checkpoint.
void Run::save_while_waiting(StopToken& stop)
{
    std::lock_guard const busy{busy_};
    bool const stopping = stop.requested();
    if (changed_ && !state().history.empty()
        && (stopping || checkpoints_.due(state().history.back().generation))) {
        save();
    }
    if (stopping) {
        checkpoints_.hurry();
    }
}

/// In a thread of its own; `known` continuations need no answer. Launchers may leave a few tenths
/// of a second between a signal and the end of this process, and announce both with SIGCONT.
void Run::save_after_signal(std::stop_token const& end, unsigned known)
{
    using std::chrono::milliseconds;
    std::stop_callback const wake{end, end_wait_for_signal};
    milliseconds pause{1000};
    while (!end.stop_requested()) {
        wait_for_signal(std::exchange(pause, milliseconds{1000}));
        auto const continued = continuations();
        bool const stopping = received_signal() != 0;
        if (!stopping && continued == known) {
            continue;
        }
        std::unique_lock busy{busy_, std::defer_lock};
        if (!busy.try_lock()) {
            pause = milliseconds{5};  // the search is being updated
            continue;
        }
        known = continued;
        save_now(stopping);
        pause = milliseconds{stopping ? 100 : 1000};
    }
}

void Run::save_now(bool stopping)
{
    try {
        if (changed_ && !state().history.empty()) {
            save();
        }
        if (stopping) {
            checkpoints_.hurry();
        }
    } catch (std::exception const& error) {
        log::debug("cannot save after a signal: {}", error.what());  // nor can the run itself
    }
}

/// In a thread of the evaluator; the process ends afterwards. A state in the midst of an update
/// cannot be saved.
void Run::save_before_exit()
{
    constexpr int attempts = 200;
    bool locked = false;
    for (int i = 0; i < attempts && !locked; ++i) {
        locked = busy_.try_lock();
        if (!locked) {
            std::this_thread::sleep_for(std::chrono::milliseconds{10});
        }
    }
    if (locked) {
        save_now(true);
        (void)checkpoints_.wait();
    }
}

/// False if the evaluation was interrupted.
bool Run::generation(StopToken& stop)
{
    auto const batch = algorithm_->ask();
    auto const result = [&] {
        ReverseLock const others_may_save{busy_};
        return evaluator_.evaluate(batch, stop);
    }();
    if (result) {
        tell(batch, *result);
    }
    return result.has_value();
}

void Run::tell(Batch const& batch, BatchResult const& result)
{
    Stopwatch const updating;
    try {
        algorithm_->tell(batch, result, noise_);
    } catch (...) {
        // A generation that was recorded before the failure is part of the state.
        changed_ = changed_ || frame_.timing.size() < state().history.size();
        record_new_rows();
        throw;
    }
    update_seconds_ += updating.seconds();
    changed_ = !state().history.empty();
    record_new_rows();
}

void Run::record_new_rows()
{
    auto const& history = state().history;
    auto const first = frame_.timing.size();
    while (frame_.timing.size() < history.size()) {
        double const seconds = since_row_.restart();
        auto const now = spent_until_now();
        frame_.timing.push_back({.seconds = seconds,
                                 .workers = evaluator_.workers(),
                                 .physics = now.physics - recorded_.physics,
                                 .policy = now.policy - recorded_.policy,
                                 .waiting = now.waiting - recorded_.waiting,
                                 .update = now.update - recorded_.update,
                                 .checkpoint = now.checkpoint - recorded_.checkpoint});
        recorded_ = now;
    }
    checkpoints_.require_working();
    for (auto row = first; row < history.size(); ++row) {
        report_.record(history[row], frame_.timing[row].seconds);
    }
}

GenerationTiming Run::spent_until_now()
{
    GenerationTiming spent{.update = update_seconds_, .checkpoint = checkpoint_seconds_};
    for (auto const& worker : evaluator_.timing()) {
        spent.physics += worker.physics;
        spent.policy += worker.policy;
        spent.waiting += worker.waiting;
    }
    return spent;
}

void Run::save()
{
    Stopwatch const saving;
    auto document = frame_;
    document.state = algorithm_->state();
    document.run.wall_seconds += since_start_.seconds();
    saved_seconds_ = document.run.wall_seconds;
    checkpoints_.save(std::move(document));
    checkpoint_seconds_ += saving.seconds();
    changed_ = false;
}

}  // namespace mees
