#pragma once

#include "mees/algorithms/algorithm.hpp"
#include "mees/core/output.hpp"
#include "mees/evaluation/evaluator.hpp"
#include "mees/report/metrics_file.hpp"
#include "mees/report/progress.hpp"

#include <unistd.h>

#include <deque>
#include <filesystem>
#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

namespace mees {

/// The rows of a run before this process: none, or those of the checkpoint it resumes from.
struct RunSoFar {
    std::span<GenerationRecord const> history{};
    std::span<double const> seconds{};  ///< wall time of each row
};

/// How this process and its workers spent their time since this start, in seconds.
struct TimeSplit {
    std::vector<WorkerTiming> workers;
    double update{0};      ///< of the search, by the master
    double checkpoint{0};  ///< during which the master waited for saving
};

/// The end of a run, finished or stopped.
struct RunEnd {
    std::filesystem::path folder;
    std::vector<std::string> bc_names;
    std::string stopped_by;     ///< empty: it is finished
    double seconds{0};          ///< wall time since the start, over restarts
    double session_seconds{0};  ///< wall time since this start
    TimeSplit time;
};

/// A text for people: why the run ended, the best cell, coverage and QD score, the map as a
/// heatmap, how time was spent, where the files are and which commands show them.
[[nodiscard]] std::string run_summary(SearchProblem const& problem, State const& state,
                                      RunEnd const& end, Terminal const& terminal);

/// The same figures as JSON, for other programs: the content of summary.json.
[[nodiscard]] std::string run_summary_json(SearchProblem const& problem, State const& state,
                                           RunEnd const& end);

/// Reports the progress of a run on a stream and in metrics.csv: a line at the start, one per
/// generation, and a summary at the end. On a terminal the generation's line has a progress bar and
/// is redrawn; in a pipe and in the log each generation has its own line. Never delays a run: lines
/// that are not read are dropped, errors of files are logged as warnings. Only
/// `require_folder` may end it: it throws if the folder is not this run's any more.
class RunReport {
  public:
    RunReport(std::filesystem::path folder, SearchProblemPtr problem,
              std::vector<std::string> bc_names, RunSoFar so_far,
              std::ostream& out = progress_output(),
              Terminal terminal = detect_terminal(STDOUT_FILENO),
              std::function<void()> require_folder = {});
    RunReport(RunReport const&) = delete;
    RunReport& operator=(RunReport const&) = delete;
    /// Ends a line that is still being redrawn.
    ~RunReport();

    /// Reports a generation, which took `seconds`.
    void record(GenerationRecord const& record, double seconds);
    /// Writes summary.json, which exists only from the end of a process to the start of the next.
    void save_summary(State const& state, std::string const& stopped_by, double seconds) const;
    /// `stopped_by` is the reason for an early end ("signal SIGUSR1"); empty: the run is finished.
    /// `seconds` is the wall time since the start of the run, as saved.
    void finish(State const& state, std::string const& stopped_by, double seconds, TimeSplit time);

  private:
    [[nodiscard]] Progress progress_of(GenerationRecord const& record, double seconds);
    void show(Progress const& progress);
    void end_line();

    std::filesystem::path folder_;
    SearchProblemPtr problem_;
    std::vector<std::string> bc_names_;
    std::ostream& out_;
    Terminal terminal_;
    std::function<void()> require_folder_;
    MetricsFile metrics_;
    double elapsed_{0};
    double session_{0};
    std::int64_t episodes_{0};
    struct Cost {
        double seconds;
        std::int64_t episodes;
    };
    /// Of the last generations of this process. Rates are averaged over them, because a batch may
    /// contain episodes of two generations.
    std::deque<Cost> recent_;
    bool line_open_{false};
};

}  // namespace mees
