#pragma once

#include "mees/experiment/estimate.hpp"
#include "mees/sim/recording/reference.hpp"
#include "mees/sim/task.hpp"
#include "mees/storage/map/document.hpp"

#include <filesystem>
#include <string>

// What the programs print for people.

namespace mees {

/// The text of mees_master --dry-run.
[[nodiscard]] std::string estimate_table(Estimate const& estimate, SearchProblem const& problem,
                                         TaskSpec const& spec);

/// A map's stored and re-evaluated figures next to each other.
[[nodiscard]] std::string reevaluation_table(MapDocument const& before, MapDocument const& after);

/// The most robust elite and the fittest one over the variants of the model; empty without any.
[[nodiscard]] std::string variants_table(Reevaluation const& reevaluation);

/// The largest deviation of each quantity of a recorded trajectory, and whether it is reproduced.
[[nodiscard]] std::string reference_table(std::filesystem::path const& file,
                                          Recording const& recording, ReferenceCheck const& check);

}  // namespace mees
