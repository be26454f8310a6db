#pragma once

#include "mees/report/metrics_file.hpp"
#include "mees/report/progress.hpp"
#include "mees/report/run_summary.hpp"

#include <deque>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

namespace mees {

/// The rows of a run before this process: none, or those of the checkpoint it resumes from.
struct RunSoFar {
    std::span<GenerationRecord const> history{};
    std::span<double const> seconds{};  ///< wall time of each row
};

/// Reports the progress of a run on a stream and in metrics.csv: a line at the start, one per
/// generation, and a summary at the end. On a terminal the generation's line has a progress bar and
/// is redrawn; in a pipe and in the log each generation has its own line. Never ends a run: write
/// errors are logged as warnings.
class RunReport {
  public:
    /// To standard output.
    RunReport(std::filesystem::path folder, SearchProblemPtr problem,
              std::vector<std::string> bc_names, RunSoFar so_far);
    RunReport(std::filesystem::path folder, SearchProblemPtr problem,
              std::vector<std::string> bc_names, RunSoFar so_far, std::ostream& out,
              Terminal terminal);
    RunReport(RunReport const&) = delete;
    RunReport& operator=(RunReport const&) = delete;
    /// Ends a line that is still being redrawn.
    ~RunReport();

    /// Reports a generation, which took `seconds`.
    void record(GenerationRecord const& record, double seconds);
    /// `stopped_by` is the reason for an early end ("signal SIGUSR1"); empty: the run is finished.
    void finish(State const& state, std::string const& stopped_by, TimeSplit time);

  private:
    [[nodiscard]] Progress progress_of(GenerationRecord const& record, double seconds);
    void show(Progress const& progress);
    void end_line();

    std::filesystem::path folder_;
    SearchProblemPtr problem_;
    std::vector<std::string> bc_names_;
    std::ostream& out_;
    Terminal terminal_;
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
