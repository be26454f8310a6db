#pragma once

#include "mees/algorithms/algorithm.hpp"
#include "mees/algorithms/objective.hpp"
#include "mees/qd/cell_novelty.hpp"

#include <optional>
#include <vector>

namespace mees {

/// Mean and sample standard deviation over the episodes that measured one controller.
struct Measured {
    double fitness{0};
    double fitness_std{0};
    std::vector<double> bc;
};

/// One coordinate of the behaviours of these episodes.
[[nodiscard]] std::vector<double> bc_values(BatchResult const& result, EpisodeRange range,
                                            std::size_t axis);

[[nodiscard]] Measured measure(BatchResult const& result, EpisodeRange range);

/// Adds episodes and steps of a range to the state's counters.
void count_episodes(State& state, BatchResult const& result, EpisodeRange range);

/// Merges the observations sampled in a range, in episode order.
void merge_observations(State& state, BatchResult const& result, EpisodeRange range);

/// A measured controller of the state's generation, as it is offered to the map.
[[nodiscard]] Elite make_elite(State const& state, ControllerPtr controller,
                               Measured const& measured, std::optional<CellId> parent_cell);

/// Sets the elite's novelty, by default that against the archive as it is, then offers the elite to
/// the map, then adds its BC to the archive.
InsertionResult insert_with_novelty(State& state, Elite elite, std::optional<double> novelty = {});

/// A generation as the history records it: its fittest controller, and how many entered the map.
struct GenerationSummary {
    Mode mode{Mode::other};
    std::optional<CellId> parent_cell;
    Measured measured;
    InsertionResult inserted;
    std::int64_t insertions{0};
};

/// Appends the history's row for `state.generation`.
void record_generation(State& state, SearchProblem const& problem,
                       GenerationSummary const& summary);

/// Makes the history's last row describe the map as it is now: best, coverage and QD score.
void describe_map_in_last_record(State& state, double qd_offset);

}  // namespace mees
