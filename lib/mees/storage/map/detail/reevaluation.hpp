#pragma once

// Inside this module only: the group /evaluation of a map that was measured again.

#include "mees/storage/hdf5/file.hpp"
#include "mees/storage/map/document.hpp"

namespace mees {

void write_reevaluation(hdf5::Writer& file, Reevaluation const& reevaluation,
                        std::int64_t dimensions);

/// Nothing if the map has no such group.
[[nodiscard]] std::optional<Reevaluation> read_reevaluation(hdf5::Reader const& file,
                                                            BehaviourSpace const& space);

}  // namespace mees
