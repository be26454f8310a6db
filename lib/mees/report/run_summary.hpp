#pragma once

#include "mees/algorithms/algorithm.hpp"
#include "mees/evaluation/evaluator.hpp"
#include "mees/report/terminal.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace mees {

/// Where the time of this process and its workers went since this start, in seconds.
struct TimeSplit {
    std::vector<WorkerTiming> workers;
    double update{0};      ///< of the search, by the master
    double checkpoint{0};  ///< what saving kept the master from doing
};

/// A run at its end, or where it stopped.
struct RunEnd {
    std::filesystem::path folder;
    std::vector<std::string> bc_names;
    std::string stopped_by;     ///< empty: it reached its last generation
    double seconds{0};          ///< wall time since the start, over restarts
    double session_seconds{0};  ///< wall time since this start
    TimeSplit time;
};

/// Lines for a person: why it ended, the best cell, coverage and QD score, the map as a picture,
/// where the time went, where the files are and which commands show them.
[[nodiscard]] std::string run_summary(SearchProblem const& problem, State const& state,
                                      RunEnd const& end, Terminal const& terminal);

/// min, mean and max over the workers of each share of the time.
[[nodiscard]] std::string time_table(TimeSplit const& time);

}  // namespace mees
