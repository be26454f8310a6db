#pragma once

#include "mees/cluster/runtime.hpp"
#include "mees/core/error.hpp"
#include "mees/experiment/adapt_options.hpp"

namespace mees {

/// The whole of mees_adapt on every rank. Returns rank 0's exit code.
[[nodiscard]] ExitCode run_adapt(ClusterRuntime& runtime, AdaptOptions const& options);

}  // namespace mees
