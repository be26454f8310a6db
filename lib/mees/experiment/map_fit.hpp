#pragma once

#include "mees/config/settings.hpp"
#include "mees/sim/registry.hpp"
#include "mees/storage/map/file.hpp"

namespace mees {

/// The configuration of the map's run, to run its episodes again. Throws FileError if this program
/// does not understand it or `domains` does not have its domain.
[[nodiscard]] Settings settings_to_run(RunInfo const& run, DomainRegistry const& domains);

/// Throws FileError unless the map's controllers are for the domain of its own configuration, whose
/// undamaged robot has `spec`: same sizes, same BC, same model. Another version of the engine is
/// only warned of.
void require_map_fits(MapReader const& map, Settings const& settings, TaskSpec const& spec);

}  // namespace mees
