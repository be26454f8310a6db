#include "mees/storage/map/detail/layout.hpp"
#include "mees/storage/map/detail/reevaluation.hpp"
#include "mees/storage/map/file.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace mees {
namespace {

using hdf5::Writer;

/// One number per record, as a dataset.
template <class Value, class Records, class Get>
void column(Writer& file, std::string const& path, Records const& records, Get const& get)
{
    std::vector<Value> values;
    values.reserve(records.size());
    for (auto const& record : records) {
        values.push_back(static_cast<Value>(get(record)));
    }
    file.dataset(path, values);
}

/// One row per record, as a dataset of `columns` columns; an empty row stands for zeros.
template <class Value, class Records, class Get>
void table(Writer& file, std::string const& path, Records const& records, std::int64_t columns,
           Get const& get)
{
    std::vector<Value> values;
    values.reserve(records.size() * static_cast<std::size_t>(columns));
    for (auto const& record : records) {
        auto const& row = get(record);
        values.insert(values.end(), row.begin(), row.end());
        values.resize(values.size() + (row.size() == 0 ? static_cast<std::size_t>(columns) : 0));
    }
    file.dataset(path, std::span<Value const>{values},
                 {static_cast<std::int64_t>(records.size()), columns});
}

template <class Vector>
void require_finite(Vector const& values, std::string const& what)
{
    for (auto const value : values) {
        if (!std::isfinite(value)) {
            throw WriteError{fmt::format("{} not finite", what), "the search has diverged",
                             "try a smaller es.learning_rate or es.sigma"};
        }
    }
}

/// A file that cannot be read back must not replace one that can.
void require_finite(MapDocument const& document)
{
    for (auto const& [cell, elite] : document.state.map.elites()) {
        auto const where = fmt::format("of the elite in cell {} is", cell.value());
        require_finite(elite.bc, "the behaviour " + where);
        require_finite(std::array{elite.fitness, elite.fitness_std, elite.novelty},
                       "the fitness " + where);
        require_finite(elite.controller->parameters, "a parameter " + where);
    }
    for (auto const& emitter : document.state.emitters) {
        require_finite(emitter.theta, "a parameter of the controller being optimised is");
        require_finite(emitter.optimiser.first_moment, "the optimiser's first moment is");
        require_finite(emitter.optimiser.second_moment, "the optimiser's second moment is");
    }
}

void write_root(Writer& file, MapDocument const& document)
{
    auto const& history = document.state.history;
    auto const last = history.empty() ? GenerationRecord{} : history.back();
    write_run_attributes(file, layout::kind, document.run,
                         {last.generation, last.episodes, last.steps});
}

std::vector<std::int64_t> stored_bins(BehaviourSpace const& space)
{
    if (space.is_grid()) {
        return space.bins();
    }
    std::vector<std::int64_t> bins(static_cast<std::size_t>(space.dimensions()), 1);
    bins.front() = space.cells();
    return bins;
}

void write_space(Writer& file, MapDocument const& document)
{
    auto const& space = document.state.map.space();
    file.attribute("/map", "bins", std::span<std::int64_t const>{stored_bins(space)});
    file.attribute("/map", "lower", std::span<double const>{space.lower()});
    file.attribute("/map", "upper", std::span<double const>{space.upper()});
    file.attribute("/map", "bc_names", document.bc_names);
    file.attribute("/map", "layers", std::span<std::int64_t const>{document.network.layers()});
    file.attribute("/map", "qd_offset", document.qd_offset);
    if (!space.is_grid()) {
        file.dataset("/map/centroids", std::span<double const>{space.centroids()},
                     {space.cells(), space.dimensions()});
    }
}

void write_elites(Writer& file, MapDocument const& document)
{
    auto const& map = document.state.map;
    auto const& elites = map.elites();
    auto const dimensions = map.space().dimensions();
    auto const inputs = document.network.inputs();
    column<std::int64_t>(file, "/map/cell", elites, [](auto const& e) { return e.first.value(); });
    table<std::int32_t>(file, "/map/bins", elites, dimensions,
                        [&](auto const& e) { return map.space().bins_of(e.first); });
    table<double>(file, "/map/bc", elites, dimensions, [](auto const& e) { return e.second.bc; });
    for (auto const& [path, member] : layout::elite_reals) {
        column<double>(file, path, elites,
                       [member = member](auto const& e) { return e.second.*member; });
    }
    column<std::int64_t>(file, "/map/generation", elites,
                         [](auto const& e) { return e.second.generation.value(); });
    column<std::int64_t>(file, "/map/parent_cell", elites,
                         [](auto const& e) { return layout::stored(e.second.parent_cell); });
    table<double>(file, "/map/observation_mean", elites, inputs,
                  [](auto const& e) { return e.second.controller->normaliser.mean; });
    table<double>(file, "/map/observation_std", elites, inputs,
                  [](auto const& e) { return e.second.controller->normaliser.std; });
    auto elite = elites.begin();
    file.rows<float>(
        "/map/parameters", map.filled(), document.network.parameter_count(),
        [&](std::int64_t) { return layout::span_of((elite++)->second.controller->parameters); });
}

void write_history(Writer& file, MapDocument const& document)
{
    auto const& history = document.state.history;
    column<std::int64_t>(file, "/history/generation", history,
                         [](auto const& r) { return r.generation.value(); });
    column<std::int8_t>(file, "/history/mode", history, [](auto const& r) { return r.mode; });
    for (auto const& [path, member] : layout::history_cells) {
        column<std::int64_t>(file, path, history, [member = member](auto const& r) {
            return layout::stored(r.*member);
        });
    }
    for (auto const& [path, member] : layout::history_reals) {
        column<double>(file, path, history, [member = member](auto const& r) { return r.*member; });
    }
    for (auto const& [path, member] : layout::history_counts) {
        column<std::int64_t>(file, path, history,
                             [member = member](auto const& r) { return r.*member; });
    }
    column<double>(file, "/timing/seconds", document.timing,
                   [](auto const& t) { return t.seconds; });
    column<std::int32_t>(file, "/timing/workers", document.timing,
                         [](auto const& t) { return t.workers; });
    for (auto const& [path, member] : layout::timing_reals) {
        column<double>(file, path, document.timing,
                       [member = member](auto const& t) { return t.*member; });
    }
}

void write_search(Writer& file, State const& state)
{
    file.attribute("/state", "generation", state.generation.value());
    file.attribute("/state", "evaluated", std::int64_t{state.evaluated});
    file.attribute("/state", "active", layout::stored(state.active));
    file.attribute("/state", "episodes", state.episodes);
    file.attribute("/state", "steps", state.steps);
    file.attribute("/state", "diverged", state.diverged);
    file.attribute("/state", "nsra_weight", state.nsra.weight);
    file.attribute("/state", "nsra_best", state.nsra.best);
    file.attribute("/state", "nsra_generations_without", state.nsra.generations_without);
    file.attribute("/state", "observation_count", state.observations.count);
    auto const& elites = state.map.elites();
    column<std::int64_t>(file, "/state/elite_inserted", elites,
                         [](auto const& e) { return e.second.inserted; });
    column<std::int64_t>(file, "/state/elite_archive_entry", elites,
                         [](auto const& e) { return layout::stored(e.second.archive_entry); });
    auto const& moments = state.observations;
    file.dataset("/state/observation_sum", layout::span_of(moments.sum), {moments.sum.size()});
    file.dataset("/state/observation_sum_of_squares", layout::span_of(moments.sum_of_squares),
                 {moments.sum_of_squares.size()});
}

void write_emitters(Writer& file, MapDocument const& document)
{
    auto const& emitters = document.state.emitters;
    auto const parameters = document.network.parameter_count();
    auto const path = [](char const* name) { return fmt::format("/state/emitter/{}", name); };
    column<std::int8_t>(file, path("mode"), emitters, [](auto const& e) { return e.mode; });
    column<std::int64_t>(file, path("parent_cell"), emitters,
                         [](auto const& e) { return layout::stored(e.parent_cell); });
    column<std::int64_t>(file, path("steps"), emitters, [](auto const& e) { return e.steps; });
    column<std::int64_t>(file, path("barren"), emitters, [](auto const& e) { return e.barren; });
    column<double>(file, path("novelty"), emitters, [](auto const& e) { return e.novelty; });
    column<std::int64_t>(file, path("archive_entry"), emitters,
                         [](auto const& e) { return layout::stored(e.archive_entry); });
    column<std::uint8_t>(file, path("has_bc"), emitters,
                         [](auto const& e) { return !e.bc.empty(); });
    table<double>(file, path("bc"), emitters, document.state.map.space().dimensions(),
                  [](auto const& e) { return e.bc; });
    column<std::int64_t>(file, path("optimiser_steps"), emitters,
                         [](auto const& e) { return e.optimiser.steps; });
    column<std::uint8_t>(file, path("has_moments"), emitters,
                         [](auto const& e) { return e.optimiser.first_moment.size() > 0; });
    table<float>(file, path("theta"), emitters, parameters, [](auto const& e) { return e.theta; });
    table<float>(file, path("first_moment"), emitters, parameters,
                 [](auto const& e) { return e.optimiser.first_moment; });
    table<float>(file, path("second_moment"), emitters, parameters,
                 [](auto const& e) { return e.optimiser.second_moment; });
}

}  // namespace

std::int64_t raw_bytes(MapDocument const& document)
{
    auto const& state = document.state;
    auto const dimensions = state.map.space().dimensions();
    auto const parameters = document.network.parameter_count();
    constexpr std::int64_t word = 8;
    auto const per_elite =
        4 * parameters + word * (2 * document.network.inputs() + 9) + (word + 4) * dimensions;
    auto const per_emitter = 12 * parameters + word * (dimensions + 8);
    auto const history = static_cast<std::int64_t>(state.history.size()) * word * 22;
    return state.map.filled() * per_elite + history + state.archive.size() * dimensions * word
           + static_cast<std::int64_t>(state.emitters.size()) * per_emitter
           + static_cast<std::int64_t>(state.map.space().centroids().size()) * word;
}

void write_map(std::filesystem::path const& path, MapDocument const& document)
{
    expects(document.timing.size() == document.state.history.size(),
            "a timing for each generation");
    require_finite(document);
    Writer file{path, raw_bytes(document)};
    for (auto const* group :
         {"/map", "/novelty_archive", "/history", "/state", "/state/emitter", "/timing"}) {
        file.group(group);
    }
    write_root(file, document);
    write_space(file, document);
    write_elites(file, document);
    auto const& archive = document.state.archive;
    file.dataset("/novelty_archive/bc", archive.entries(), {archive.size(), archive.dimensions()});
    file.attribute("/novelty_archive", "k", archive.settings().k);
    file.attribute(
        "/novelty_archive", "metric",
        std::string_view{archive.settings().metric == NoveltyMetric::squared ? "squared"
                                                                             : "euclidean"});
    write_history(file, document);
    write_search(file, document.state);
    write_emitters(file, document);
    if (document.reevaluation) {
        write_reevaluation(file, *document.reevaluation, archive.dimensions());
    }
    file.finish();
}

}  // namespace mees
