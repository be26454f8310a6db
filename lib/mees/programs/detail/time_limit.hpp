#pragma once

#include "mees/core/stop.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace mees {

/// "3h50m", "90s", "1d2h", "45m30s" or plain seconds. Throws ConfigError for anything else.
[[nodiscard]] std::chrono::seconds parse_duration(std::string_view text);

/// When the run must have ended: after `limit`, else at the end of the SLURM job, else never. The
/// margin is for the last checkpoint: 5 % of the time, at least 10 s (less for limits under 40 s),
/// at most 2 minutes.
[[nodiscard]] std::optional<TimeLimit> deadline(std::optional<std::chrono::seconds> limit);

/// The margin before a limit.
[[nodiscard]] std::chrono::seconds stop_margin(std::chrono::seconds limit);

}  // namespace mees
