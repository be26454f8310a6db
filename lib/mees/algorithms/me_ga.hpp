#pragma once

#include "mees/algorithms/algorithm.hpp"
#include "mees/algorithms/archive_update.hpp"

namespace mees {

/// ME-GA, the paper's control: each generation, children of a parent cell drawn uniformly (or a
/// cell for each child) are evaluated n_eval times each and all offered to the map. Keeps no
/// novelty archive. Holds no copy of the map; a child's parameters are made only if it enters.
class MeGa final : public Algorithm {
  public:
    MeGa(SearchProblemPtr problem, State state);

    [[nodiscard]] bool finished() const override;
    [[nodiscard]] Batch ask() const override;
    void tell(Batch const& batch, BatchResult const& result, NoiseSource& noise) override;
    [[nodiscard]] State const& state() const override { return state_; }

  private:
    struct Parents {
        CellId first;
        std::optional<CellId> second;  ///< where the line of iso+line leads
    };
    [[nodiscard]] Parents draw_parents(std::int64_t index) const;
    [[nodiscard]] Group children(Parents const& parents, std::int64_t first,
                                 std::int64_t count) const;
    [[nodiscard]] std::vector<Parents> parents_of_groups() const;
    /// Offers a measured child to the map.
    InsertionResult offer(Group const& group, std::int64_t member, Measured const& measured,
                          std::optional<CellId> parent_cell, NoiseSource const& noise);

    SearchProblemPtr problem_;
    State state_;
};

}  // namespace mees
