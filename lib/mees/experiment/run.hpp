#pragma once

#include "mees/algorithms/algorithm.hpp"
#include "mees/core/stop.hpp"
#include "mees/evaluation/evaluator.hpp"
#include "mees/report/run_report.hpp"
#include "mees/storage/checkpoint/writer.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace mees {

/// The loop that everything serves: ask, evaluate, tell, record, save, until the last generation or
/// a reason to stop.
///
/// A batch that was cut short by a stop is dropped: the state stays as it was before it, and
/// whoever goes on asks for the same batch again.
class Run {
  public:
    /// `document` is the state to go on from, with what the map file says beside it.
    Run(MapDocument document, SearchProblemPtr const& problem, Evaluator& evaluator,
        NoiseSource& noise, CheckpointWriter& checkpoints, RunReport& report);

    /// Returns when finished or stopped, with the last state saved. Throws if that could not be
    /// saved; what an evaluation throws passes through after the state was saved.
    void go(StopToken& stop);

    [[nodiscard]] bool finished() const { return algorithm_->finished(); }
    [[nodiscard]] State const& state() const { return algorithm_->state(); }
    /// Seconds of this process spent in updates of the search, and in handing over checkpoints.
    [[nodiscard]] double update_seconds() const { return update_seconds_; }
    [[nodiscard]] double checkpoint_seconds() const { return checkpoint_seconds_; }

  private:
    void loop(StopToken& stop);
    void record_new_rows();
    void save();
    [[nodiscard]] MapDocument snapshot() const;
    [[nodiscard]] GenerationTiming spent_until_now();

    MapDocument frame_;  ///< all of the document but the state, which the algorithm has
    std::unique_ptr<Algorithm> algorithm_;
    Evaluator& evaluator_;
    NoiseSource& noise_;
    CheckpointWriter& checkpoints_;
    RunReport& report_;
    Stopwatch since_start_;
    Stopwatch since_row_;
    double update_seconds_{0};
    double checkpoint_seconds_{0};
    GenerationTiming recorded_;  ///< what rows of this process's timing have in sum
    bool changed_{false};
};

}  // namespace mees
