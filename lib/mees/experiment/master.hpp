#pragma once

#include "mees/cluster/runtime.hpp"
#include "mees/core/error.hpp"
#include "mees/experiment/options.hpp"
#include "mees/sim/registry.hpp"

#include <string>

namespace mees {

/// The main() of a training program: mees_master's, and that of a program with domains of its own.
[[nodiscard]] int master_main(int argc, char** argv, DomainRegistry const& domains = {});

/// A training run on every rank. Returns rank 0's exit code.
[[nodiscard]] ExitCode run_master(ClusterRuntime& runtime, MasterOptions const& options,
                                  DomainRegistry const& domains);

/// What --show-config and --dry-run print: everything is checked, nothing written, no MPI needed.
[[nodiscard]] std::string preview(MasterOptions const& options, DomainRegistry const& domains);

}  // namespace mees
