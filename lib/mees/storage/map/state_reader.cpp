#include "mees/storage/detail/checks.hpp"
#include "mees/storage/map/detail/layout.hpp"
#include "mees/storage/map/file.hpp"
#include "mees/storage/verify.hpp"

#include <fmt/format.h>

#include <array>
#include <set>

namespace mees {
namespace {

using hdf5::Reader;

NoveltyArchive read_archive(MapReader const& map)
{
    auto const& file = map.file();
    NoveltySettings settings;
    settings.k = file.integer("/novelty_archive", "k");
    auto const metric = file.text("/novelty_archive", "metric");
    require(file, settings.k > 0, "/novelty_archive@k is not positive");
    auto const known = choice_named<NoveltyMetric>(metric);
    require(file, known.has_value(), "/novelty_archive@metric is neither euclidean nor squared");
    settings.metric = *known;
    auto const dimensions = map.space().dimensions();
    NoveltyArchive archive{dimensions, settings};
    auto const entries = map.archive();
    auto const width = static_cast<std::size_t>(dimensions);
    for (std::size_t begin = 0; begin < entries.size(); begin += width) {
        archive.add(std::span{entries}.subspan(begin, width));
    }
    return archive;
}

EliteMap read_elites(MapReader const& map, NoveltyArchive const& archive)
{
    auto const& file = map.file();
    auto elites = map.elites();
    auto const rows = static_cast<std::int64_t>(elites.size());
    auto const inserted = file.values<std::int64_t>("/state/elite_inserted", {rows});
    auto const entries = file.values<std::int64_t>("/state/elite_archive_entry", {rows});
    require_range(file, "/state/elite_inserted", inserted, 0, most - 1);
    require_range(file, "/state/elite_archive_entry", entries, layout::none, archive.size() - 1);
    require(file, std::set(inserted.begin(), inserted.end()).size() == inserted.size(),
            "/state/elite_inserted holds a number twice");
    EliteMap result{map.space()};
    for (std::size_t row = 0; row < elites.size(); ++row) {
        auto& [cell, elite] = elites[row];
        elite.controller = map.controller(static_cast<std::int64_t>(row));
        elite.inserted = inserted[row];
        elite.archive_entry = index_or_none(entries[row]);
        result.restore(cell, std::move(elite));
    }
    return result;
}

ObservationMoments read_moments(MapReader const& map)
{
    auto const& file = map.file();
    auto const inputs = map.network().inputs();
    auto const sum = file.values<double>("/state/observation_sum", {inputs});
    auto const squares = file.values<double>("/state/observation_sum_of_squares", {inputs});
    auto const count = file.real("/state", "observation_count");
    require_finite(file, "/state/observation_sum", sum);
    require_finite(file, "/state/observation_sum_of_squares", squares);
    require(file, std::isfinite(count) && count > 0, "/state@observation_count is not positive");
    return {count, Eigen::Map<Eigen::VectorXd const>{sum.data(), inputs},
            Eigen::Map<Eigen::VectorXd const>{squares.data(), inputs}};
}

Eigen::VectorXf read_row(MapReader const& map, std::string const& path, std::int64_t row)
{
    auto const shape = map.file().shape(path);
    require(map.file(), shape.size() == 2 && shape[1] == map.network().parameter_count(),
            fmt::format("{} does not fit the network", path));
    Eigen::VectorXf values(map.network().parameter_count());
    map.file().row(path, row, layout::span_of(values));
    require_finite(map.file(), path, layout::span_of(values));
    return values;
}

std::vector<Emitter> read_emitters(MapReader const& map, NoveltyArchive const& archive)
{
    auto const& file = map.file();
    auto const path = [](char const* name) { return fmt::format("/state/emitter/{}", name); };
    auto const shape = file.shape(path("steps"));
    require(file, shape.size() == 1, "/state/emitter/steps is no column");
    auto const dimensions = map.space().dimensions();
    auto const integers = [&](char const* name, std::int64_t lowest, std::int64_t highest) {
        auto values = file.values<std::int64_t>(path(name), shape);
        require_range(file, path(name), values, lowest, highest);
        return values;
    };
    auto const flags = [&](char const* name) {
        auto values = file.values<std::uint8_t>(path(name), shape);
        require_range(file, path(name), values, 0, 1);
        return values;
    };
    auto const modes = file.values<std::int8_t>(path("mode"), shape);
    require_range(file, path("mode"), modes, 0, 2);
    auto const parents = integers("parent_cell", layout::none, map.space().cells() - 1);
    auto const steps = integers("steps", 0, most);
    auto const stagnation = integers("barren", 0, most);
    auto const entries = integers("archive_entry", layout::none, archive.size() - 1);
    auto const optimiser_steps = integers("optimiser_steps", 0, most);
    auto const has_bc = flags("has_bc");
    auto const has_moments = flags("has_moments");
    auto const novelties = file.values<double>(path("novelty"), shape);
    auto const bcs = file.values<double>(path("bc"), {shape[0], dimensions});
    require_finite(file, path("novelty"), novelties);
    require_finite(file, path("bc"), bcs);

    std::vector<Emitter> emitters(steps.size());
    for (std::size_t i = 0; i < emitters.size(); ++i) {
        auto& emitter = emitters[i];
        auto const row = static_cast<std::int64_t>(i);
        emitter.theta = read_row(map, path("theta"), row);
        emitter.optimiser.steps = optimiser_steps[i];
        if (has_moments[i] != 0) {
            emitter.optimiser.first_moment = read_row(map, path("first_moment"), row);
            emitter.optimiser.second_moment = read_row(map, path("second_moment"), row);
        }
        emitter.mode = static_cast<Mode>(modes[i]);
        emitter.parent_cell = cell_or_none(parents[i]);
        emitter.steps = steps[i];
        emitter.stagnation = stagnation[i];
        emitter.novelty = novelties[i];
        if (has_bc[i] != 0) {
            auto const begin = bcs.begin() + row * dimensions;
            emitter.bc.assign(begin, begin + dimensions);
        }
        emitter.archive_entry = index_or_none(entries[i]);
    }
    return emitters;
}

void read_search(Reader const& file, State& state)
{
    auto const count = [&](char const* name, std::int64_t lowest, std::int64_t highest) {
        auto const value = file.integer("/state", name);
        require_range(file, fmt::format("/state@{}", name), std::array{value}, lowest, highest);
        return value;
    };
    auto const real = [&](char const* name) {
        auto const value = file.real("/state", name);
        require_finite(file, fmt::format("/state@{}", name), std::array{value});
        return value;
    };
    state.generation = Generation{count("generation", 0, most)};
    state.evaluated = count("evaluated", 0, 1) != 0;
    state.active = index_or_none(
        count("active", layout::none, static_cast<std::int64_t>(state.emitters.size()) - 1));
    state.episodes = count("episodes", 0, most);
    state.steps = count("steps", 0, most);
    state.diverged = count("diverged", 0, most);
    state.nsra = {real("nsra_weight"), real("nsra_best"),
                  count("nsra_generations_without", 0, most)};
}

/// The root's summary and the state must tell of the same moment.
void require_consistent(MapReader const& map, State const& state)
{
    auto const& file = map.file();
    if (state.history.empty()) {
        return;
    }
    auto const& last = state.history.back();
    require(file,
            last.generation == map.generation() && last.episodes == map.episodes()
                && last.steps == map.steps(),
            "the last row of /history is not that of the root's attributes");
    require(file,
            state.generation >= last.generation
                && state.generation.value() - last.generation.value() <= 1,
            "/state@generation does not follow the last row of /history");
    require(file, last.coverage == state.map.filled(),
            "/history/coverage is not the number of elites");
}

}  // namespace

MapDocument read_map(std::filesystem::path const& path)
{
    MapReader const map{path};
    require_whole(map.file());
    auto archive = read_archive(map);
    auto elites = read_elites(map, archive);
    State state{std::move(elites), std::move(archive), read_moments(map)};
    state.emitters = read_emitters(map, state.archive);
    read_search(map.file(), state);
    state.history = map.history();
    require_consistent(map, state);
    auto timing = map.timing();
    require(map.file(), timing.size() == state.history.size(),
            "/timing and /history differ in length");
    return {map.run(),        map.bc_names(),    map.network(),     map.qd_offset(),
            std::move(state), std::move(timing), map.reevaluation()};
}

}  // namespace mees
