#include "algorithms/function_evaluator.hpp"
#include "catch.hpp"
#include "mees/experiment/run.hpp"
#include "mees/storage/map/file.hpp"
#include "scratch_folder.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>

using namespace mees;
using namespace mees::test;

namespace {

Point position(std::span<float const> theta, EpisodeSpec const& /*episode*/)
{
    return {0, {theta[0], theta[1]}};
}

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

/// Evaluates some batches, and has to end the process in the next.
class HangingEvaluator final : public Evaluator {
  public:
    explicit HangingEvaluator(FunctionEvaluator& inner) : inner_{inner} {}

    [[nodiscard]] std::optional<BatchResult> evaluate(Batch const& batch, StopToken& stop) override
    {
        if (inner_.batches < 5) {
            return inner_.evaluate(batch, stop);
        }
        std::jthread const watch{[this] { work_and_exit([] { ::_exit(17); }); }};
        return std::nullopt;
    }
    [[nodiscard]] std::int32_t workers() const override { return 1; }
    [[nodiscard]] std::vector<WorkerTiming> timing() const override { return {}; }

  private:
    FunctionEvaluator& inner_;
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
    FunctionEvaluator function{*problem, position};
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

TEST_CASE("before an evaluator ends the process the state is saved")
{
    ScratchFolder const folder;
    pid_t const child = ::fork();
    if (child == 0) {
        auto const problem = std::make_shared<SearchProblem const>(toy_problem());
        MapDocument document{{}, {"x", "y"}, problem->network, 0, initial_state(*problem), {}};
        CheckpointWriter checkpoints{folder.path(), {}};
        std::ostringstream lines;
        RunReport report{folder.path(), problem, document.bc_names, {}, lines, {}};
        FunctionEvaluator function{*problem, position};
        HangingEvaluator evaluator{function};
        Run run{std::move(document), problem, evaluator, function, checkpoints, report};
        StopToken stop;
        run.go(stop);
        ::_exit(1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 17));
    std::ifstream metrics{folder / "metrics.csv"};
    std::string last;
    for (std::string line; std::getline(metrics, line);) {
        last = line;
    }
    // A row begins with its generation.
    CHECK(std::stoll(last) > 1);
    CHECK(MapReader{folder / "map.h5"}.generation().value() == std::stoll(last));
}
