#include "mees/experiment/run.hpp"

#include "mees/core/error.hpp"
#include "mees/core/log.hpp"

#include <fmt/format.h>

#include <utility>

namespace mees {

Run::Run(MapDocument document, SearchProblemPtr const& problem, Evaluator& evaluator,
         NoiseSource& noise, CheckpointWriter& checkpoints, RunReport& report)
    : frame_{std::move(document)},
      algorithm_{make_algorithm(problem, frame_.state)},
      evaluator_{evaluator},
      noise_{noise},
      checkpoints_{checkpoints},
      report_{report}
{
}

void Run::go(StopToken& stop)
{
    try {
        evaluator_.while_waiting([&] { save_while_waiting(stop); });
        loop(stop);
        evaluator_.while_waiting({});
    } catch (...) {
        evaluator_.while_waiting({});
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
        throw Error{
            ExitCode::failure, "cannot write the last checkpoint", *failure,
            "Free disk space or fix the folder, then run the same command again to resume from the "
            "previous checkpoint."};
    }
}

void Run::loop(StopToken& stop)
{
    while (!algorithm_->finished() && !stop.requested()) {
        auto const batch = algorithm_->ask();
        auto const result = evaluator_.evaluate(batch, stop);
        if (!result) {
            return;
        }
        Stopwatch const updating;
        algorithm_->tell(batch, *result, noise_);
        update_seconds_ += updating.seconds();
        changed_ = true;
        record_new_rows();
        auto const& history = state().history;
        bool const initial = history.size() == 1 && !checkpoints_.saved();
        if (initial || checkpoints_.due(history.back().generation)) {
            save();
        }
    }
}

/// A worker that does not answer must delay neither the state after a stop nor a checkpoint.
void Run::save_while_waiting(StopToken& stop)
{
    if (changed_ && (stop.requested() || checkpoints_.due(state().history.back().generation))) {
        save();
    }
}

void Run::record_new_rows()
{
    auto const& history = state().history;
    while (frame_.timing.size() < history.size()) {
        auto const& row = history[frame_.timing.size()];
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
        report_.record(row, seconds);
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
    checkpoints_.save(std::move(document));
    checkpoint_seconds_ += saving.seconds();
    changed_ = false;
}

}  // namespace mees
