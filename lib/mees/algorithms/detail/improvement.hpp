#pragma once

#include "mees/algorithms/archive_update.hpp"
#include "mees/algorithms/thresholds.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mees {

// What the searches have in common whose every offspring is measured and offered to the map, and
// which rank them by the improvement of its cells' thresholds.

/// Generation 0: the emitters' controllers, then the candidates.
[[nodiscard]] Batch initial_batch(SearchProblem const& problem, State const& state);

/// The cells that the groups of `initial_batch` come from.
[[nodiscard]] std::vector<std::optional<CellId>> initial_parents(State const& state);

/// The members of one group, compared with the state's thresholds.
struct ComparedMembers {
    std::vector<Measured> measured;
    std::vector<CellId> cells;
    std::vector<double> fitness;
    std::vector<Improvement> improvements;
};

[[nodiscard]] std::vector<ComparedMembers> compare_members(State const& state,
                                                           ThresholdRule const& rule,
                                                           Batch const& batch,
                                                           BatchResult const& result);

/// Whether all values that rank the offspring are equal.
[[nodiscard]] bool is_flat(std::span<double const> values);

/// Indices of the values, the highest first; equal ones in index order.
[[nodiscard]] std::vector<std::size_t> best_first(std::span<double const> values);

/// Offers a measured member of a group to the map. The elite's controller is made only if it
/// enters; one whose parameters are not finite counts as diverged and does not.
InsertionResult offer_member(State& state, Group const& group, std::int64_t member, Elite elite,
                             NoiseSource const& noise);

/// Offers all members to the map and records the generation; the thresholds follow. `parents` has
/// the parent cell of each group.
void offer_members(State& state, SearchProblem const& problem, ThresholdRule const& rule,
                   Batch const& batch, std::span<ComparedMembers const> groups,
                   std::span<std::optional<CellId> const> parents, NoiseSource const& noise);

/// An emitter at the parameters of an elite drawn uniformly.
[[nodiscard]] Emitter emitter_from_map(SearchProblem const& problem, State const& state,
                                       std::int64_t emitter);

}  // namespace mees
