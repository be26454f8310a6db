#pragma once

#include "mees/qd/novelty_archive.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace mees {

// How the members of a generation are ranked among themselves. A member is a row of `bcs`.

/// Members in descending order of value, the lower member at a tie.
[[nodiscard]] std::vector<std::size_t> descending(std::span<double const> values);

/// Novelty of each member among the archive's entries and the other members.
[[nodiscard]] std::vector<double> novelties_within(NoveltyArchive const& archive,
                                                   std::span<double const> bcs);

/// Local competition (Lehman and Stanley 2011): how many of a member's k nearest neighbours among
/// the archive's entries and the other members have a lower fitness than it; the neighbour that was
/// there first at a tie of distances.
[[nodiscard]] std::vector<double> local_competition(NoveltyArchive const& archive,
                                                    std::span<double const> archive_fitness,
                                                    std::span<double const> bcs,
                                                    std::span<double const> fitness);

/// Members in the order of NSGA-II (Deb et al. 2002) for two objectives that are maximised: by
/// non-dominated front, within a front by descending crowding distance, the lower member at a tie.
[[nodiscard]] std::vector<std::size_t> pareto_order(std::span<double const> first,
                                                    std::span<double const> second);

}  // namespace mees
