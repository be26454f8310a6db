#pragma once

#include "mees/algorithms/algorithm.hpp"
#include "mees/core/stop.hpp"
#include "mees/evaluation/evaluator.hpp"
#include "mees/report/run_report.hpp"
#include "mees/storage/checkpoint/writer.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <vector>

namespace mees {

/// The run loop: ask, evaluate, tell, record, save, until the last generation or a stop request.
///
/// A batch that is interrupted by a stop is dropped: the state stays as it was before the batch,
/// and a resumed run asks for the same batch again. That state is saved as soon as the stop is
/// seen, and a checkpoint when it is due, also while the evaluator waits for episodes; after a
/// signal even if the evaluator does not return, because MPI is stuck in a call about a lost node,
/// and before an evaluator ends the process for that reason.
/// SIGCONT, which may announce the end of this process, causes a checkpoint and nothing else.
class Run {
  public:
    /// `document` has the state to start from and the other content of the map file.
    Run(MapDocument document, SearchProblemPtr const& problem, Evaluator& evaluator,
        NoiseSource& noise, CheckpointWriter& checkpoints, RunReport& report);

    /// The state differs from the last checkpoint, if there is one: `go` saves it in any case.
    void mark_changed() { changed_ = true; }

    /// Returns when finished or stopped, with the last state saved. Throws if it cannot be saved,
    /// and FolderLost, without saving, once the run's folder is not its own any more. Exceptions of
    /// an evaluation or of the search propagate after the state is saved.
    void go(StopToken& stop);

    [[nodiscard]] bool finished() const { return algorithm_->finished(); }
    [[nodiscard]] State const& state() const { return algorithm_->state(); }
    /// Wall time since the start of the run, over restarts, as in the last checkpoint.
    [[nodiscard]] double saved_seconds() const { return saved_seconds_; }
    /// Seconds that this process spent on updates of the search, and on handing over checkpoints.
    [[nodiscard]] double update_seconds() const { return update_seconds_; }
    [[nodiscard]] double checkpoint_seconds() const { return checkpoint_seconds_; }

  private:
    void loop(StopToken& stop);
    void save_while_waiting(StopToken& stop);
    void save_after_signal(std::stop_token const& end, unsigned known);
    void save_now(bool stopping);
    void save_before_exit();
    void release_evaluator();
    [[nodiscard]] bool generation(StopToken& stop);
    void tell(Batch const& batch, BatchResult const& result);
    void record_new_rows();
    void save();
    [[nodiscard]] GenerationTiming spent_until_now();

    std::mutex busy_;  ///< held except while the evaluator runs, which does not change the state
    SearchProblemPtr problem_;
    MapDocument frame_;  ///< the document without its state, which the algorithm owns
    std::unique_ptr<Algorithm> algorithm_;
    Evaluator& evaluator_;
    NoiseSource& noise_;
    CheckpointWriter& checkpoints_;
    RunReport& report_;
    Stopwatch since_start_;
    Stopwatch since_row_;
    double saved_seconds_{0};
    double update_seconds_{0};
    double checkpoint_seconds_{0};
    GenerationTiming recorded_;  ///< sum of the timing rows of this process
    bool changed_{false};
};

}  // namespace mees
