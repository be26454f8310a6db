#pragma once

#include "mees/config/settings.hpp"
#include "mees/sim/registry.hpp"
#include "mees/storage/map/file.hpp"

#include <string>
#include <vector>

namespace mees {

/// The configuration of the map's run, for running its episodes again. Throws FileError if it is
/// invalid or names a domain that `domains` does not have.
[[nodiscard]] Settings settings_to_run(RunInfo const& run, DomainRegistry const& domains);

/// `domains` for the map's episodes, whose run had `settings`: they use the model that the map
/// carries, or that in the file `model` if it is not empty, and read no other file. A command that
/// the map names is run only if `allow_command`, or if this user has trained with it.
[[nodiscard]] DomainRegistry domains_of(MapReader const& map, Settings const& settings,
                                        DomainRegistry const& domains,
                                        std::filesystem::path const& model = {},
                                        bool allow_command = false);

/// What the environment in another process states otherwise than when the map was made, as far as
/// fitness depends on it.
[[nodiscard]] std::vector<std::string> changes_since(ProgramStatement const& stored,
                                                     TaskSpec const& now);

/// Throws FileError unless the map's controllers match the domain of its configuration, whose
/// undamaged robot has `spec`: same sizes, same BC, same model. Another version of the engine only
/// gives a warning, and so does another model if `other_model` says that the user chose it, and an
/// environment in another process that states another reward or length of episodes.
void require_map_fits(MapReader const& map, Settings const& settings, TaskSpec const& spec,
                      bool other_model = false);

/// Sets the versions of mees and of the engine to those of this build.
void set_versions(RunInfo& run);

}  // namespace mees
