#pragma once

#include "mees/config/settings.hpp"
#include "mees/rollout/episode_runner.hpp"
#include "mees/sim/damage.hpp"
#include "mees/sim/model_variation.hpp"
#include "mees/sim/registry.hpp"

#include <string>
#include <vector>

namespace mees {

/// The damages given on the command line, each once, with "paper" replaced by the paper's twelve.
/// Throws ConfigError for an invalid damage, and for "paper" if the robot is not the paper's Ant.
[[nodiscard]] std::vector<Damage> expand_damages(std::vector<std::string> const& given,
                                                 Domain const& robot);

/// `robot`, that of the settings, is variant 0; then one variant for each additional damage.
[[nodiscard]] RolloutSetup make_variants(Settings const& settings,
                                         std::vector<Damage> const& damages,
                                         DomainPtr const& robot);

/// Adds a variant for each damage, in addition to the damage in the settings.
void add_variants(RolloutSetup& setup, Settings const& settings,
                  std::vector<Damage> const& damages);

/// The variation with its ranges cut to what the model of a domain allows; warns if they are.
/// Throws ConfigError for a domain without a model, and for a range that allows nothing.
[[nodiscard]] ModelVariation allowed_variation(ModelVariation const& variation,
                                               Settings const& settings, Domain const& domain);

}  // namespace mees
