#pragma once

#include "mees/config/settings.hpp"
#include "mees/sim/registry.hpp"

#include <string>
#include <vector>

namespace mees {

/// The conditions under which a map's controllers are judged: the run's, or others.
struct Conditions {
    Settings settings;
    std::vector<std::string> changes;  ///< "domain.key = value" of each that differs from the run's
};

/// The settings of a run with `overrides`, each "domain.key=value", the arguments of --set. Throws
/// ConfigError for a key that is not in [domain], that has no effect on an evaluation episode of
/// the run's domain, or that names another domain, and for invalid values.
[[nodiscard]] Conditions other_conditions(Settings const& run,
                                          std::vector<std::string> const& overrides,
                                          DomainRegistry const& domains);

/// Whether the overrides name the command of an environment: it then replaces the run's, like
/// another model, and may be run.
[[nodiscard]] bool name_command(std::vector<std::string> const& overrides);

/// Makes the domain for these conditions. Throws ConfigError unless a controller of `run`, the
/// run's domain, can act in it and has the same BC: same sizes, same BC names.
[[nodiscard]] DomainPtr make_domain(Conditions const& conditions, DomainPtr const& run,
                                    DomainRegistry const& domains);

/// The changes of a map that was itself made under other conditions: `earlier`, with the later ones
/// replacing those of the same key.
[[nodiscard]] std::vector<std::string> merged_changes(std::vector<std::string> earlier,
                                                      std::vector<std::string> const& later);

}  // namespace mees
