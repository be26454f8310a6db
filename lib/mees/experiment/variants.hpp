#pragma once

#include "mees/config/settings.hpp"
#include "mees/rollout/episode_runner.hpp"

#include <string>
#include <vector>

namespace mees {

/// The damages that words of the command line stand for: "paper" replaced by its twelve, spaces
/// removed, each damage once. Throws ConfigError where "paper" does not fit the domain.
[[nodiscard]] std::vector<std::string> expand_damages(std::vector<std::string> const& given,
                                                      std::string const& domain);

/// The robot as configured as variant 0, then one variant for each damage.
[[nodiscard]] RolloutSetup make_variants(Settings const& settings,
                                         std::vector<std::string> const& damages);

}  // namespace mees
