#include "mees/qd/elite_map.hpp"

#include "mees/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mees {

InsertionResult EliteMap::insert(Elite elite)
{
    expects(std::isfinite(elite.fitness), "a finite fitness");
    auto const cell = space_.cell_of(elite.bc);
    auto const found = elites_.find(cell);
    InsertionResult result{
        .cell = cell, .novelty = elite.novelty, .archive_entry = elite.archive_entry};
    if (found != elites_.end() && elite.fitness <= found->second.fitness) {
        return result;
    }
    result.outcome =
        found == elites_.end() ? InsertionOutcome::discovered : InsertionOutcome::improved;
    elite.inserted = insertions_++;
    put(cell, std::move(elite));
    return result;
}

void EliteMap::restore(CellId cell, Elite elite)
{
    insertions_ = std::max(insertions_, elite.inserted + 1);
    put(cell, std::move(elite));
}

void EliteMap::set_store(ParameterStorePtr store)
{
    store_ = std::move(store);
    for (auto& [cell, elite] : elites_) {
        keep(elite);
    }
}

void EliteMap::put(CellId cell, Elite elite)
{
    keep(elite);
    elites_.insert_or_assign(cell, std::move(elite));
}

void EliteMap::keep(Elite& elite) const
{
    if (store_ && elite.controller) {
        elite.controller = store_->keep(std::move(elite.controller));
    }
}

Elite const* EliteMap::find(CellId cell) const
{
    auto const found = elites_.find(cell);
    return found == elites_.end() ? nullptr : &found->second;
}

std::optional<CellId> best_cell(EliteMap const& map)
{
    auto const& elites = map.elites();
    auto const best = std::ranges::max_element(
        elites, {}, [](auto const& entry) { return entry.second.fitness; });
    return best == elites.end() ? std::nullopt : std::optional{best->first};
}

double qd_score(EliteMap const& map, double offset)
{
    double score = 0;
    for (auto const& [cell, elite] : map.elites()) {
        score += elite.fitness - offset;
    }
    return score;
}

}  // namespace mees
