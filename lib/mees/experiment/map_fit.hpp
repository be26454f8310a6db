#pragma once

#include "mees/config/settings.hpp"
#include "mees/sim/task.hpp"
#include "mees/storage/map_file.hpp"

namespace mees {

/// Throws FileError unless the map's controllers are for the domain of its own configuration, whose
/// undamaged robot has `spec`: same sizes, same BC, same model. Another version of the engine is
/// only warned of.
void require_map_fits(MapReader const& map, Settings const& settings, TaskSpec const& spec);

}  // namespace mees
