#pragma once

#include "mees/algorithms/algorithm.hpp"
#include "mees/sim/task.hpp"

#include <string>

namespace mees {

/// The elites of another map that a run starts from, and where they come from.
struct WarmStart {
    StartElites start;
    std::string origin;  ///< the file and its SHA-256, as map.h5 stores it
};

/// Reads the elites that run.start_from and run.start_cells name; with the states of their
/// optimisers if es.optimizer_state is "inherit" and both runs use the same optimiser. Throws
/// FileError if the file is not an intact map, if its network or BC names are not those of the
/// problem, or if it has no such cells; ConfigError for start_cells that are not a list of cells.
[[nodiscard]] WarmStart read_warm_start(SearchProblem const& problem, TaskSpec const& spec);

}  // namespace mees
