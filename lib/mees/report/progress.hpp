#pragma once

#include "mees/algorithms/state.hpp"
#include "mees/report/terminal.hpp"

#include <optional>
#include <string>

namespace mees {

/// How a run stands after a generation.
struct Progress {
    GenerationRecord record;
    std::int64_t generations{0};  ///< the last one
    std::int64_t cells{0};        ///< of the map
    double qd_offset{0};
    std::optional<double> episodes_per_second;
    double elapsed{0};                ///< seconds since the start, over restarts
    std::optional<double> remaining;  ///< seconds, if they can be told yet
    bool shows_weight{false};         ///< NSRA-ES: the weight of fitness is told too
};

[[nodiscard]] std::string mode_name(Mode mode);

/// Everything about a generation in one line that stays: for pipes and log files.
[[nodiscard]] std::string calm_line(Progress const& progress);

/// A bar and as much of the same as fits, the least important left out first; shorter than the
/// terminal is wide, without a line end.
[[nodiscard]] std::string bar_line(Progress const& progress, Terminal const& terminal);

}  // namespace mees
