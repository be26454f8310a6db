#pragma once

#include "mees/cluster/runtime.hpp"
#include "mees/experiment/catalogue.hpp"
#include "mees/experiment/start_elites.hpp"
#include "mees/programs/detail/master.hpp"

#include <iosfwd>
#include <optional>

namespace mees {

/// The elites of another map that the run starts from. None if it names no map, or resumes: then it
/// has no use for that map.
[[nodiscard]] std::optional<WarmStart> warm_start_of(MasterOptions const& options,
                                                     SearchProblem const& problem,
                                                     TaskSpec const& spec);

/// A training run on every rank, in its folder, from its start or its checkpoint to its end. Rank 0
/// writes its lines to `progress`; the result is rank 0's exit code. Collective.
[[nodiscard]] ExitCode train(ClusterRuntime& runtime, MasterOptions const& options,
                             Catalogue const& catalogue, std::ostream& progress);

/// The same run in this process, on threads, however many ranks there are.
[[nodiscard]] ExitCode train_alone(MasterOptions const& options, Catalogue const& catalogue,
                                   std::ostream& progress);

}  // namespace mees
