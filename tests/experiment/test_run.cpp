#include "algorithms/function_evaluator.hpp"
#include "catch.hpp"
#include "mees/experiment/run.hpp"
#include "scratch_folder.hpp"

#include <csignal>
#include <functional>
#include <sstream>
#include <thread>
#include <utility>

using namespace mees;
using namespace mees::test;

namespace {

/// Evaluates some batches; in the next one an event occurs, and nothing returns until the
/// checkpoint of the last generation is written.
class StuckEvaluator final : public Evaluator {
  public:
    StuckEvaluator(FunctionEvaluator& inner, CheckpointWriter const& checkpoints, Run const*& run,
                   std::function<void()> event)
        : inner_{inner}, checkpoints_{checkpoints}, run_{run}, event_{std::move(event)}
    {
    }

    [[nodiscard]] std::optional<BatchResult> evaluate(Batch const& batch, StopToken& stop) override
    {
        if (inner_.batches < 5 || saved) {
            return inner_.evaluate(batch, stop);
        }
        auto const last = run_->state().history.back().generation;
        CHECK(checkpoints_.saved() < last);
        event_();
        for (int i = 0; i < 1000 && checkpoints_.saved() < last; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds{10});
        }
        saved = checkpoints_.saved() == last;
        return stop.requested() || !saved ? std::nullopt : inner_.evaluate(batch, stop);
    }
    [[nodiscard]] std::int32_t workers() const override { return 1; }
    [[nodiscard]] std::vector<WorkerTiming> timing() const override { return {}; }

    bool saved{false};

  private:
    FunctionEvaluator& inner_;
    CheckpointWriter const& checkpoints_;
    Run const*& run_;
    std::function<void()> event_;
};

struct Outcome {
    bool saved{false};
    bool finished{false};
};

/// Of a run whose evaluator is stuck while the event occurs.
Outcome run_with(std::function<void()> event)
{
    ScratchFolder const folder;
    auto const problem = std::make_shared<SearchProblem const>(toy_problem());
    MapDocument document{{}, {"x", "y"}, problem->network, 0, initial_state(*problem), {}};
    CheckpointWriter checkpoints{folder.path(), {}};
    std::ostringstream lines;
    RunReport report{folder.path(), problem, document.bc_names, {}, lines, {}};
    FunctionEvaluator function{*problem, [](std::span<float const> theta, EpisodeSpec const&) {
                                   return Point{0, {theta[0], theta[1]}};
                               }};
    Run const* watched = nullptr;
    StuckEvaluator evaluator{function, checkpoints, watched, std::move(event)};
    Run run{std::move(document), problem, evaluator, function, checkpoints, report};
    watched = &run;
    StopToken stop;
    run.go(stop);
    note_signal(0);
    return {evaluator.saved, run.finished()};
}

}  // namespace

TEST_CASE("after a signal the state is saved even if the evaluator is stuck")
{
    auto const outcome = run_with([] { note_signal(SIGTERM); });
    CHECK(outcome.saved);
    CHECK_FALSE(outcome.finished);
}

TEST_CASE("SIGCONT, which may announce the end, saves the state and does not stop the run")
{
    install_signal_handlers();
    auto const outcome = run_with([] { std::raise(SIGCONT); });
    CHECK(outcome.saved);
    CHECK(outcome.finished);
}
