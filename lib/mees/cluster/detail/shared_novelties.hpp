#pragma once

#include "mees/cluster/detail/ranks.hpp"
#include "mees/qd/novelty_archive.hpp"

#include <span>

namespace mees {

/// Rank 0, while the others are in `run_worker`: the novelty of each row of `bcs`, with all ranks.
/// Only the entries that they do not know are sent to them. Throws what `Ranks::tend` throws;
/// `result` may still be written to after that.
void find_novelties_together(Ranks& ranks, NoveltyArchive const& archive,
                             std::span<double const> bcs, std::span<double> result);

/// Others: computes this rank's part of what the current command asks for. Calls `finished`.
void find_novelties_part(Ranks& ranks);

}  // namespace mees
