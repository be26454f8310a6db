#include "mees/experiment/reevaluation.hpp"

#include "mees/algorithms/archive_update.hpp"
#include "mees/core/error.hpp"
#include "mees/core/statistics.hpp"

#include <algorithm>
#include <map>

namespace mees {
namespace {

/// Limits of a batch, which is sent to every node in one piece: bytes of parameters, controllers.
constexpr std::int64_t batch_bytes = 256 << 20;
constexpr std::int64_t most_controllers = 1000;

std::vector<double> bc_deviations(BatchResult const& result, EpisodeRange range,
                                  std::vector<double> const& mean)
{
    std::vector<double> deviations;
    for (std::size_t axis = 0; axis < mean.size(); ++axis) {
        deviations.push_back(standard_deviation_of(bc_values(result, range, axis), mean[axis]));
    }
    return deviations;
}

/// Appends the results of `count` elites, which start at `begin`.
void add_rows(Reevaluation& reevaluation, BehaviourSpace const& space,
              std::map<CellId, Elite>::const_iterator begin, std::int64_t count,
              BatchResult const& result)
{
    for (std::int64_t i = 0; i < count; ++i, ++begin) {
        EpisodeRange const range{i * reevaluation.episodes, reevaluation.episodes};
        for (std::int64_t episode = 0; episode < reevaluation.episodes; ++episode) {
            reevaluation.episode_fitness[static_cast<std::size_t>(episode)] +=
                result.outcomes[static_cast<std::size_t>(range.first + episode)].fitness;
        }
        auto const measured = measure(result, range);
        reevaluation.rows.push_back({.stored_cell = begin->first,
                                     .cell = space.cell_of(measured.bc),
                                     .stored_fitness = begin->second.fitness,
                                     .fitness = measured.fitness,
                                     .fitness_std = measured.fitness_std,
                                     .bc = measured.bc,
                                     .bc_std = bc_deviations(result, range, measured.bc)});
    }
}

std::int64_t controllers_at_once(MapDocument const& document)
{
    std::int64_t links = 1;
    for (auto const& [cell, elite] : document.state.map.elites()) {
        links = std::max(links, links_of(elite.controller));
    }
    auto const bytes =
        links * document.network.parameter_count() * static_cast<std::int64_t>(sizeof(float));
    return std::clamp(batch_bytes / bytes, std::int64_t{1}, most_controllers);
}

/// The groups of an elite, the `row`-th of the map, one per variant of the model.
void add_variant_groups(Batch& batch, Elite const& elite, std::int64_t row,
                        ReevaluationSettings const& settings)
{
    auto const& variants = settings.variants.value();
    for (std::int64_t variant = 0; variant < std::ssize(variants.variants); ++variant) {
        auto group = replay_group(elite.controller, static_cast<std::int32_t>(variants.episodes));
        group.variant = static_cast<std::int32_t>(variant + 1);
        group.first_stream = variant * variants.episodes;
        group.generation = Generation{settings.independent ? 1 + row : 0};
        batch.groups.push_back(std::move(group));
    }
}

/// Fills `rows[i].variant_fitness`; false if a stop was requested.
bool measure_variants(MapDocument const& document, ReevaluationSettings const& settings,
                      Evaluator& evaluator, StopToken& stop, std::vector<Reevaluation::Row>& rows)
{
    auto const episodes = settings.variants.value().episodes;
    auto const count = std::ssize(settings.variants.value().variants);
    auto const& elites = document.state.map.elites();
    auto const at_once = std::max<std::int64_t>(1, controllers_at_once(document) / count);
    std::int64_t row = 0;
    for (auto next = elites.begin(); next != elites.end();) {
        Batch batch{.seed = static_cast<std::uint64_t>(settings.seed), .groups = {}};
        auto const first = row;
        for (; next != elites.end() && row - first < at_once; ++next, ++row) {
            add_variant_groups(batch, next->second, row, settings);
        }
        auto const result = evaluator.evaluate(batch, stop);
        if (!result) {
            return false;
        }
        for (std::int64_t group = 0; group < std::ssize(batch.groups); ++group) {
            rows[static_cast<std::size_t>(first + group / count)].variant_fitness.push_back(
                measure(*result, {group * episodes, episodes}).fitness);
        }
    }
    return true;
}

std::optional<Reevaluation> measure_all(MapDocument const& document,
                                        ReevaluationSettings const& settings, Evaluator& evaluator,
                                        StopToken& stop)
{
    Reevaluation reevaluation;
    reevaluation.episodes = settings.episodes;
    reevaluation.seed = settings.seed;
    reevaluation.independent = settings.independent;
    reevaluation.episode_fitness.assign(static_cast<std::size_t>(settings.episodes), 0.0);
    auto const& elites = document.state.map.elites();
    auto const at_once = controllers_at_once(document);
    for (auto next = elites.begin(); next != elites.end();) {
        Batch batch{.seed = static_cast<std::uint64_t>(settings.seed), .groups = {}};
        auto const first = next;
        auto const row = std::ssize(reevaluation.rows);
        for (; next != elites.end() && std::ssize(batch.groups) < at_once; ++next) {
            auto group = replay_group(next->second.controller, settings.episodes);
            if (settings.independent) {
                group.generation = Generation{1 + row + std::ssize(batch.groups)};
            }
            batch.groups.push_back(std::move(group));
        }
        auto const result = evaluator.evaluate(batch, stop);
        if (!result) {
            return std::nullopt;
        }
        add_rows(reevaluation, document.state.map.space(), first, std::ssize(batch.groups),
                 *result);
    }
    for (auto& fitness : reevaluation.episode_fitness) {
        fitness /= static_cast<double>(elites.size());
    }
    reevaluation.variants = settings.variants;
    if (settings.variants
        && !measure_variants(document, settings, evaluator, stop, reevaluation.rows)) {
        return std::nullopt;
    }
    return reevaluation;
}

/// Marks the fittest in each cell, the first of equals.
void choose_fittest(Reevaluation& reevaluation)
{
    std::map<CellId, Reevaluation::Row*> fittest;
    for (auto& row : reevaluation.rows) {
        auto const [place, is_new] = fittest.emplace(row.cell, &row);
        if (!is_new && row.fitness > place->second->fitness) {
            place->second = &row;
        }
    }
    for (auto const& [cell, row] : fittest) {
        row->kept = true;
    }
}

EliteMap corrected_map(State const& state, Reevaluation const& reevaluation)
{
    EliteMap map{state.map.space()};
    for (auto const& row : reevaluation.rows) {
        if (row.kept) {
            auto elite = *state.map.find(row.stored_cell);
            elite.fitness = row.fitness;
            elite.fitness_std = row.fitness_std;
            elite.bc = row.bc;
            elite.novelty =
                state.archive.size() > 0 ? state.archive.novelty(elite.bc, elite.archive_entry) : 0;
            map.restore(row.cell, std::move(elite));
        }
    }
    return map;
}

}  // namespace

std::optional<MapDocument> reevaluate(MapDocument document, ReevaluationSettings const& settings,
                                      Evaluator& evaluator, StopToken& stop)
{
    auto reevaluation = measure_all(document, settings, evaluator, stop);
    if (!reevaluation) {
        return std::nullopt;
    }
    choose_fittest(*reevaluation);
    document.state.map = corrected_map(document.state, *reevaluation);
    describe_map_in_last_record(document.state, document.qd_offset);
    document.reevaluation = std::move(reevaluation);
    return document;
}

}  // namespace mees
