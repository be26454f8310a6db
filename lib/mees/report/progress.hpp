#pragma once

#include "mees/algorithms/state.hpp"
#include "mees/report/terminal.hpp"

#include <optional>
#include <string>

namespace mees {

/// The progress of a run after a generation.
struct Progress {
    GenerationRecord record;
    std::int64_t generations{0};  ///< of the complete run
    std::int64_t cells{0};        ///< of the map
    double qd_offset{0};
    std::optional<double> episodes_per_second;
    double elapsed{0};                ///< seconds since the start, over restarts
    std::optional<double> remaining;  ///< seconds, if known yet
    bool shows_weight{false};         ///< NSRA-ES: also show the weight of fitness
};

[[nodiscard]] std::string mode_name(Mode mode);

/// All figures of a generation in one line, for pipes and log files.
[[nodiscard]] std::string log_line(Progress const& progress);

/// A bar and the figures that fit, dropping the least important first; shorter than the terminal's
/// width, without a line end.
[[nodiscard]] std::string bar_line(Progress const& progress, Terminal const& terminal);

}  // namespace mees
