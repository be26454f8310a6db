#pragma once

#include "mees/algorithms/state.hpp"
#include "mees/config/settings.hpp"
#include "mees/evaluation/batch.hpp"
#include "mees/evaluation/noise_source.hpp"
#include "mees/evaluation/result.hpp"
#include "mees/policy/network.hpp"

#include <memory>
#include <span>

namespace mees {

/// What every algorithm needs to know of the run, worked out once from settings and domain.
struct SearchProblem {
    Settings settings;
    NetworkShape network;
    BehaviourSpace space;
};

/// A search as a state machine: ask what to evaluate, tell what came out.
///
/// `ask` is a pure function of the state: asking twice gives the same batch, so a batch that was
/// lost is simply asked for again. `tell` is the only place where the state changes. Between two
/// tells the state can be saved, and an algorithm made from it goes on to the same bits.
class Algorithm {
  public:
    Algorithm() = default;
    Algorithm(Algorithm const&) = delete;
    Algorithm& operator=(Algorithm const&) = delete;
    virtual ~Algorithm() = default;

    [[nodiscard]] virtual bool finished() const = 0;
    [[nodiscard]] virtual Batch ask() const = 0;
    /// `noise` has the table that the batch's offsets refer to.
    virtual void tell(Batch const& batch, BatchResult const& result, NoiseSource& noise) = 0;
    [[nodiscard]] virtual State const& state() const = 0;
};

/// The state before anything was evaluated: generation 0.
[[nodiscard]] State initial_state(SearchProblem const& problem);

/// The algorithm that `settings.algorithm.name` names, going on from `state`.
[[nodiscard]] std::unique_ptr<Algorithm> make_algorithm(SearchProblem problem, State state);

}  // namespace mees
