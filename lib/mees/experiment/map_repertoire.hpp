#pragma once

#include "mees/config/settings.hpp"
#include "mees/navigation/displacement_model.hpp"
#include "mees/storage/map/file.hpp"

#include <optional>

namespace mees {

/// The elites of a map as actions, those with at least `least_fitness`. Throws FileError for a map
/// whose BC has no displacement (domain.bc = "displacement"), and if no elite is left.
[[nodiscard]] Repertoire repertoire_of(MapReader const& map, Domain const& robot,
                                       Settings const& settings,
                                       std::optional<double> least_fitness);

}  // namespace mees
