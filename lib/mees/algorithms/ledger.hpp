#pragma once

#include "mees/algorithms/algorithm.hpp"
#include "mees/algorithms/objective.hpp"
#include "mees/qd/cell_novelty.hpp"

#include <optional>
#include <vector>

namespace mees {

/// Mean and (population) standard deviation over the episodes that measured one controller.
struct Measured {
    double fitness{0};
    double fitness_std{0};
    std::vector<double> bc;
};

[[nodiscard]] Measured measure(BatchResult const& result, EpisodeRange range);

/// A measured controller that is to be entered into the state.
struct Candidate {
    ControllerPtr controller;
    Measured measured;
    std::optional<CellId> parent_cell;
};

/// What became of it.
struct Entered {
    CellId cell;
    InsertionOutcome outcome{InsertionOutcome::rejected};
    double novelty{0};
    std::optional<std::int64_t> archive_entry;
};

/// Adds episodes and steps of a range to the state's counters.
void count_episodes(State& state, BatchResult const& result, EpisodeRange range);

/// Merges the observations sampled in a range, in episode order.
void merge_observations(State& state, BatchResult const& result, EpisodeRange range);

/// Novelty against the archive as it is, then into the map, then into the archive.
Entered enter_with_novelty(State& state, Candidate candidate);
/// Into the map only (ME-GA keeps no archive).
Entered enter_without_novelty(State& state, Candidate candidate);

/// What the history says of a generation: its fittest controller, and how many entered the map.
struct GenerationSummary {
    Mode mode{Mode::other};
    std::optional<CellId> parent_cell;
    Measured measured;
    Entered entered;
    std::int64_t inserted{0};
};

/// Appends the history's row for `state.generation`.
void record_generation(State& state, SearchProblem const& problem,
                       GenerationSummary const& summary);

}  // namespace mees
