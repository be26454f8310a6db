#pragma once

#include "mees/cluster/runtime.hpp"
#include "mees/experiment/catalogue.hpp"

#include <filesystem>
#include <iosfwd>

namespace mees {

/// Whether this build works on this machine, in seconds: `mees_master --self-test`. Collective.
///
/// Every rank compares random numbers with published ones and steps every domain that needs neither
/// a file nor a command. Rank 0 trains a small map on one thread; all ranks (or `threads` threads,
/// where there is one rank) train it again, stop at a checkpoint and resume; the two maps must have
/// the same bits. Files are in a new folder in TMPDIR, which is removed. Rank 0 reports to `out`.
/// Throws an Error for what does not work. Does not compare results with those of other builds or
/// processors, whose last bits may differ.
[[nodiscard]] ExitCode self_test(ClusterRuntime& runtime, unsigned threads,
                                 Catalogue const& catalogue, std::ostream& out);

/// Throws SimulationError if an episode of the domain has a number that is not finite.
void require_working(Domain const& domain);

/// Throws ClusterError, naming the first difference, if the maps do not have the same bits.
void require_same_bits(std::filesystem::path const& left, std::filesystem::path const& right);

}  // namespace mees
