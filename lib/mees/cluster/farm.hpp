#pragma once

#include "mees/cluster/runtime.hpp"
#include "mees/core/stop.hpp"
#include "mees/rollout/episode_runner.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mees {

/// One independent piece of work: its result as bytes, or nothing if `abort` said so.
using FarmJob =
    std::function<std::optional<std::string>(std::int64_t job, AbortCheck const& abort)>;

/// Collective: runs jobs 0 .. count - 1 on all ranks but 0 (on this one if it is alone), each on
/// whichever rank is free. Rank 0 gets the results by job number, or nothing if a stop was
/// requested meanwhile; the other ranks get nothing. A job must depend on its number only.
[[nodiscard]] std::optional<std::vector<std::string>> farm(ClusterRuntime& runtime,
                                                           std::int64_t count, FarmJob const& job,
                                                           StopToken& stop);

}  // namespace mees
