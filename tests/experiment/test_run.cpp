#include "algorithms/function_evaluator.hpp"
#include "catch.hpp"
#include "mees/experiment/run.hpp"
#include "scratch_folder.hpp"

#include <csignal>
#include <sstream>
#include <thread>

using namespace mees;
using namespace mees::test;

namespace {

/// Evaluates some batches; in the next one a signal arrives, and nothing returns until the
/// checkpoint of the last generation is written.
class StuckEvaluator final : public Evaluator {
  public:
    StuckEvaluator(FunctionEvaluator& inner, CheckpointWriter const& checkpoints, Run const*& run)
        : inner_{inner}, checkpoints_{checkpoints}, run_{run}
    {
    }

    [[nodiscard]] std::optional<BatchResult> evaluate(Batch const& batch, StopToken& stop) override
    {
        if (inner_.batches < 5) {
            return inner_.evaluate(batch, stop);
        }
        auto const last = run_->state().history.back().generation;
        CHECK(checkpoints_.saved() < last);
        note_signal(SIGTERM);
        for (int i = 0; i < 1000 && checkpoints_.saved() < last; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds{10});
        }
        saved = checkpoints_.saved() == last;
        return std::nullopt;
    }
    [[nodiscard]] std::int32_t workers() const override { return 1; }
    [[nodiscard]] std::vector<WorkerTiming> timing() const override { return {}; }

    bool saved{false};

  private:
    FunctionEvaluator& inner_;
    CheckpointWriter const& checkpoints_;
    Run const*& run_;
};

}  // namespace

TEST_CASE("after a signal the state is saved even if the evaluator is stuck")
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
    StuckEvaluator evaluator{function, checkpoints, watched};
    Run run{std::move(document), problem, evaluator, function, checkpoints, report};
    watched = &run;
    StopToken stop;
    run.go(stop);
    note_signal(0);
    CHECK(evaluator.saved);
    CHECK_FALSE(run.finished());
}
