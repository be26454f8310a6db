#pragma once

#include "mees/cluster/runtime.hpp"
#include "mees/core/error.hpp"
#include "mees/experiment/options.hpp"

#include <string>

namespace mees {

/// The whole of mees_master on every rank. Returns rank 0's exit code.
[[nodiscard]] ExitCode run_master(ClusterRuntime& runtime, MasterOptions const& options);

/// What --show-config and --dry-run print: everything is checked, nothing written, no MPI needed.
[[nodiscard]] std::string preview(MasterOptions const& options);

}  // namespace mees
