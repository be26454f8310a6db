#pragma once

#include "mees/config/schema.hpp"
#include "mees/config/settings.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace mees {

/// A configuration as it was read.
struct Configuration {
    Settings settings;
    std::vector<std::string> given;  ///< keys that the file or an override set, as "section.key"
};

/// Reads a TOML file strictly: an unknown key, a wrong type or an invalid value is a
/// ConfigError that names file, line, key, what is allowed and the nearest known name. `overrides`
/// are strings "section.key=value" (the arguments of --set); they win over the file, later ones
/// over earlier. Strings in overrides need no quotes, lists no brackets. `known` are the domains
/// and algorithms that may be named; where a list is empty, any name is accepted. Paths of files
/// next to the configuration become absolute.
[[nodiscard]] Configuration read_configuration(std::filesystem::path const& file,
                                               std::vector<std::string> const& overrides = {},
                                               KnownNames const& known = {});

/// The same from a string, which messages call `source_name`; paths stay as they are.
[[nodiscard]] Configuration parse_configuration(std::string_view toml,
                                                std::string const& source_name,
                                                std::vector<std::string> const& overrides = {},
                                                KnownNames const& known = {});

[[nodiscard]] Settings read_settings(std::filesystem::path const& file,
                                     std::vector<std::string> const& overrides = {},
                                     KnownNames const& known = {});
[[nodiscard]] Settings parse_settings(std::string_view toml, std::string const& source_name,
                                      std::vector<std::string> const& overrides = {},
                                      KnownNames const& known = {});

/// Throws ConfigError for settings, set by code, that reading would have rejected.
void validate(Settings const& settings, KnownNames const& known = {});

/// The complete configuration, including defaults. Reading it gives the same settings, and writing
/// those the same string.
[[nodiscard]] std::string to_toml(Settings const& settings);

/// The keys among `given` that have no effect with these settings, each with what it belongs to:
/// "algorithm.children (only with algorithm.name = me-ga)". They are accepted, so that one preset
/// serves several algorithms. A name that is not known may use every key.
[[nodiscard]] std::vector<std::string> foreign_keys(Configuration const& configuration,
                                                    KnownNames const& known);

/// Where the settings of a stored run differ from those it would resume with, beyond what may
/// differ (run.generations, checkpoint.*, cluster.*, log.*): "es.sigma is 0.02 in the checkpoint
/// and 0.03 in the configuration". Paths may differ in their folder.
[[nodiscard]] std::vector<std::string> differences_that_forbid_resume(Settings const& stored,
                                                                      Settings const& now);

/// The reference page of all keys (docs/configuration.md), in Markdown.
[[nodiscard]] std::string configuration_reference(KnownNames const& known);

}  // namespace mees
