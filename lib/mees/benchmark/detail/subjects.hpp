#pragma once

#include "mees/algorithms/algorithm.hpp"
#include "mees/config/settings.hpp"
#include "mees/evaluation/batch.hpp"
#include "mees/sim/bare_physics.hpp"
#include "mees/sim/task.hpp"

#include <memory>
#include <string>
#include <vector>

namespace mees::bench {

/// The paper's settings for a domain.
[[nodiscard]] Settings paper_settings(std::string const& domain);

/// The domain and the problem that the settings describe, from the domains and algorithms of mees.
[[nodiscard]] std::shared_ptr<Domain const> domain_of(Settings const& settings);
[[nodiscard]] SearchProblemPtr problem_of(Settings const& settings);

/// Mirrored offspring of an initial controller.
[[nodiscard]] Batch offspring(Settings const& settings, NetworkShape const& network,
                              std::int64_t episodes, std::int64_t table_size);

/// Episodes of offspring, recorded for a bare loop of the engine.
[[nodiscard]] std::vector<OpenLoopEpisode> record(Settings const& settings, Batch const& batch,
                                                  std::span<float const> noise);

}  // namespace mees::bench
