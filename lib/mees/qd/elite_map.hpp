#pragma once

#include "mees/policy/controller.hpp"
#include "mees/policy/parameter_store.hpp"
#include "mees/qd/behaviour_space.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace mees {

struct OptimiserState;

/// A controller and its measured properties.
struct Elite {
    ControllerPtr controller;
    std::vector<double> bc;
    double fitness{0};
    double fitness_std{0};
    double novelty{0};  ///< now: kept current as the archive grows
    Generation generation;
    std::optional<CellId> parent_cell;
    /// This controller's own entry in the novelty archive, which is not its neighbour.
    std::optional<std::int64_t> archive_entry;
    /// Counts insertions: the larger, the later.
    std::int64_t inserted{0};
    /// The optimiser's state with which it was found, where the search keeps it.
    std::shared_ptr<OptimiserState const> optimiser;
};

enum class InsertionOutcome { rejected, improved, discovered };

/// The result of offering an elite to the map.
struct InsertionResult {
    CellId cell;
    InsertionOutcome outcome{InsertionOutcome::rejected};
    double novelty{0};                            ///< of the elite
    std::optional<std::int64_t> archive_entry{};  ///< of the elite
};

/// The behavioural map: the best controller found for each cell.
///
/// A controller enters when its cell is empty (rule 1) or its fitness is higher than the cell's
/// (rule 2). Elites are kept in ascending order of cell. Copying costs pointers, not parameters.
/// With a store, which copies share, it decides where the parameters of each elite are.
class EliteMap {
  public:
    explicit EliteMap(BehaviourSpace space, ParameterStorePtr store = nullptr)
        : space_{std::move(space)}, store_{std::move(store)}
    {
    }

    /// Offers an elite; its `inserted` is set here.
    InsertionResult insert(Elite elite);
    /// Puts an elite back as it was stored, `inserted` included.
    void restore(CellId cell, Elite elite);
    /// Uses this store for the present and all later elites.
    void set_store(ParameterStorePtr store);
    void set_novelty(CellId cell, double novelty) { elites_.at(cell).novelty = novelty; }

    [[nodiscard]] ParameterStorePtr const& store() const { return store_; }
    [[nodiscard]] BehaviourSpace const& space() const { return space_; }
    [[nodiscard]] std::map<CellId, Elite> const& elites() const { return elites_; }
    [[nodiscard]] Elite const* find(CellId cell) const;
    [[nodiscard]] std::int64_t filled() const { return static_cast<std::int64_t>(elites_.size()); }
    [[nodiscard]] std::int64_t insertions() const { return insertions_; }

  private:
    void put(CellId cell, Elite elite);
    void keep(Elite& elite) const;

    BehaviourSpace space_;
    ParameterStorePtr store_;
    std::map<CellId, Elite> elites_;
    std::int64_t insertions_{0};
};

/// The fittest cell (the lower one at a tie); nothing while the map is empty.
[[nodiscard]] std::optional<CellId> best_cell(EliteMap const& map);
/// Sum over filled cells, in ascending order, of fitness - offset.
[[nodiscard]] double qd_score(EliteMap const& map, double offset);

}  // namespace mees
