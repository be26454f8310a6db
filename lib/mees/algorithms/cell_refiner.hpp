#pragma once

#include "mees/algorithms/algorithm.hpp"
#include "mees/algorithms/archive_update.hpp"
#include "mees/algorithms/target_cell.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace mees {

struct RefinementSettings {
    std::int64_t steps{100};          ///< ES steps towards each cell
    std::int64_t evaluate_every{10};  ///< steps between measurements of a controller
    std::int64_t cells_at_once{16};   ///< whose ES run side by side

    /// Measurements of a controller on its way to a cell.
    [[nodiscard]] std::int64_t evaluations() const
    {
        return (steps + evaluate_every - 1) / evaluate_every;
    }
    friend bool operator==(RefinementSettings const&, RefinementSettings const&) = default;
};

/// A cell that is to be improved or filled, and what came of it so far.
struct RefinementTarget {
    CellId cell;
    std::optional<CellId> start;  ///< cell of the elite that the ES started from; none: not begun
    bool done{false};
    bool was_filled{false};
    double stored_fitness{0};  ///< of the elite that was there, or 0
    bool reached{false};       ///< a measured controller was in the cell
    double fitness{0};         ///< of the controller that was measured last, like the next
    std::vector<double> bc;    ///< empty before
};

/// A controller on its way to a cell.
struct Pursuer {
    std::int64_t target{0};  ///< index in RefinementProgress::targets
    Emitter emitter;         ///< parent_cell: where it started
    Normaliser normaliser;   ///< that of the elite it started from, all the way
};

/// Everything that the next batch of a refinement depends on, apart from the map.
struct RefinementProgress {
    std::vector<RefinementTarget> targets;  ///< ascending by cell
    std::int64_t wave{0};                   ///< number of the cells that are in progress
    std::int64_t step{0};                   ///< ES steps that their pursuers have made
    std::vector<Pursuer> pursuers;          ///< ascending by target; none: finished
    std::int64_t episodes{0};
    std::int64_t steps{0};
    std::int64_t diverged{0};
};

/// The targets of a refinement that is to begin.
[[nodiscard]] RefinementProgress new_refinement(EliteMap const& map,
                                                std::vector<CellId> const& cells);

/// Improves or fills cells of a map by an ES towards each of them (ARIA), as a state machine with
/// the guarantees of Algorithm.
///
/// Cells are refined in waves of `cells_at_once`: those that have an elite first, then those whose
/// centre is nearest to the BC of an elite of the map as it is then; the lower cell at a tie. An ES
/// starts from the cell's elite, or else from that nearest one, with its normaliser and its
/// optimiser's state, which elites have that this refinement has found, and others where the run
/// keeps it. Controllers are measured by n_eval episodes every
/// `evaluate_every` steps and at the end, and offered to the map: no elite is replaced by a worse
/// one. The novelty archive, the observation statistic and the emitters of the run stay as they
/// are. Uses es.* of the problem's settings except direction_fraction, utility and
/// steps_per_generation.
class CellRefiner {
  public:
    /// `state` has a map with elites.
    CellRefiner(SearchProblemPtr problem, RefinementSettings settings, State state,
                RefinementProgress progress);

    [[nodiscard]] bool finished() const { return progress_.pursuers.empty(); }
    [[nodiscard]] Batch ask() const;
    /// Throws Error, leaving everything as it was, if a step diverges.
    void tell(Batch const& batch, BatchResult const& result, NoiseSource& noise);

    [[nodiscard]] State const& state() const { return state_; }
    [[nodiscard]] RefinementProgress const& progress() const { return progress_; }

  private:
    [[nodiscard]] bool measures() const;
    [[nodiscard]] bool steps_follow() const { return progress_.step < settings_.steps; }
    void begin_wave();
    [[nodiscard]] bool keeps_optimisers() const;
    void forget_optimisers();
    [[nodiscard]] Pursuer started(std::int64_t target, CellId start) const;
    [[nodiscard]] ControllerPtr controller_of(Pursuer const& pursuer) const;
    [[nodiscard]] std::vector<Pursuer> stepped(Batch const& batch, BatchResult const& result,
                                               NoiseSource& noise) const;
    void offer(Pursuer const& pursuer, ControllerPtr controller, Measured const& measured);

    SearchProblemPtr problem_;
    RefinementSettings settings_;
    State state_;
    RefinementProgress progress_;
};

}  // namespace mees
