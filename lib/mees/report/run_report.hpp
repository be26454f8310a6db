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

/// Where a run stands when a report begins: nowhere, or at the checkpoint it goes on from.
struct RunSoFar {
    std::span<GenerationRecord const> history{};
    std::span<double const> seconds{};  ///< wall time of each row
};

/// Tells a person and metrics.csv how a run goes: a line when it begins, one per generation, and a
/// report at its end. On a terminal the generation's line is one with a bar that is redrawn; in a
/// pipe, and in the log, each stays. Never ends a run: what cannot be written is warned of.
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

    /// A generation is over; it took `seconds`.
    void record(GenerationRecord const& record, double seconds);
    /// `stopped_by` is what ended it early ("signal SIGUSR1"); empty: it reached its last
    /// generation.
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
    /// Of the last generations of this process: rates are taken over these, because a batch may
    /// hold episodes of two generations.
    std::deque<Cost> recent_;
    bool line_open_{false};
};

}  // namespace mees
