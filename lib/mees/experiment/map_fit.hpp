#pragma once

#include "mees/config/settings.hpp"
#include "mees/sim/registry.hpp"
#include "mees/storage/map/file.hpp"

namespace mees {

/// The configuration of the map's run, for running its episodes again. Throws FileError if it is
/// invalid or names a domain that `domains` does not have.
[[nodiscard]] Settings settings_to_run(RunInfo const& run, DomainRegistry const& domains);

/// Throws FileError unless the map's controllers match the domain of its configuration, whose
/// undamaged robot has `spec`: same sizes, same BC, same model. Another version of the engine only
/// gives a warning.
void require_map_fits(MapReader const& map, Settings const& settings, TaskSpec const& spec);

/// Sets the versions of mees and of the engine to those of this build.
void set_versions(RunInfo& run);

}  // namespace mees
