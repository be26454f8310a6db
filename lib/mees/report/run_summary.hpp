#pragma once

#include "mees/algorithms/algorithm.hpp"
#include "mees/evaluation/evaluator.hpp"
#include "mees/report/terminal.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace mees {

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

/// min, mean and max over the workers of each part of the time.
[[nodiscard]] std::string time_table(TimeSplit const& time);

}  // namespace mees
