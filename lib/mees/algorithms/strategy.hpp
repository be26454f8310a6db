#pragma once

#include "mees/algorithms/algorithm.hpp"
#include "mees/algorithms/archive_update.hpp"
#include "mees/algorithms/objective.hpp"

#include <optional>
#include <vector>

namespace mees {

/// One ES step that is to be made: which emitter takes it, from where, and what it optimises.
struct Move {
    std::int64_t emitter{0};
    std::optional<CellId> copied_from;  ///< restart at this cell's controller
    bool appends{false};                ///< a link to that controller, instead of improving it
    Mode mode{Mode::other};
    std::vector<Objective> objectives;  ///< more than one: a candidate for each
};

/// What distinguishes the ES algorithms. Stateless: everything is a function of the search's state.
class Strategy {
  public:
    Strategy() = default;
    Strategy(Strategy const&) = delete;
    Strategy& operator=(Strategy const&) = delete;
    virtual ~Strategy() = default;

    /// The steps that make generation `state.generation + 1`.
    [[nodiscard]] virtual std::vector<Move> next(State const& state) const = 0;

    /// Whether `next` chooses the same emitters and parents before the controllers of
    /// `state.generation` are evaluated as after: their episodes can then travel with the
    /// offspring.
    [[nodiscard]] virtual bool can_overlap(State const& state) const = 0;

    /// Whether the controllers of a generation are compared with the archive as it was before all
    /// of them: otherwise each also with those before it.
    [[nodiscard]] virtual bool compares_with_same_archive() const { return false; }

    /// Called when the controllers of `state.generation` have been evaluated and offered to
    /// the map.
    virtual void evaluated(State& /*state*/, std::vector<Measured> const& /*measured*/,
                           std::vector<InsertionResult> const& /*inserted*/) const
    {
    }
};

/// Lets the move restart at a cell, drawn from the map as the settings specify for the move's mode,
/// and decides whether it appends a link there.
void restart_from_map(SearchProblem const& problem, State const& state, Move& move);

}  // namespace mees
