#pragma once

#include "mees/cluster/runtime.hpp"
#include "mees/experiment/catalogue.hpp"
#include "mees/programs/detail/master.hpp"

#include <iosfwd>

namespace mees {

/// A training run on every rank, in its folder, from its start or its checkpoint to its end. Rank 0
/// writes its lines to `progress`; the result is rank 0's exit code. Collective.
[[nodiscard]] ExitCode train(ClusterRuntime& runtime, MasterOptions const& options,
                             Catalogue const& catalogue, std::ostream& progress);

/// The same run in this process, on threads, however many ranks there are.
[[nodiscard]] ExitCode train_alone(MasterOptions const& options, Catalogue const& catalogue,
                                   std::ostream& progress);

}  // namespace mees
