#include "mees/storage/hdf5/detail/digest.hpp"
#include "mees/storage/map/detail/layout.hpp"
#include "mees/storage/map/file.hpp"

#include <set>

namespace mees {
namespace {

using layout::ColumnReader;

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
    if (file.has_attribute("/novelty_archive", "window")) {
        settings.window = file.integer("/novelty_archive", "window");
        require(file, settings.window > 0, "/novelty_archive@window is not positive");
    }
    auto const dimensions = map.space().dimensions();
    NoveltyArchive archive{dimensions, settings};
    auto const entries = map.archive();
    auto const width = static_cast<std::size_t>(dimensions);
    for (std::size_t begin = 0; begin < entries.size(); begin += width) {
        archive.add(std::span{entries}.subspan(begin, width));
    }
    return archive;
}

std::vector<double> read_archive_fitness(MapReader const& map, NoveltyArchive const& archive)
{
    std::string const path = layout::archive_fitness;
    if (!map.file().has(path)) {
        return {};
    }
    auto values = map.file().values<double>(path, {archive.size()});
    require_finite(map.file(), path, values);
    return values;
}

Eigen::VectorXf read_elite_moment(MapReader const& map, char const* name, std::int64_t row)
{
    auto const path = fmt::format("{}/{}", layout::elite_optimiser_group, name);
    Eigen::VectorXf values(map.network().parameter_count());
    std::span<float> const span{values.data(), static_cast<std::size_t>(values.size())};
    map.file().row(path, row, span);
    require_finite(map.file(), path, std::span<float const>{span});
    return values;
}

/// The optimiser's state of each elite, or nulls where the file keeps none.
std::vector<std::shared_ptr<OptimiserState const>> read_elite_optimisers(MapReader const& map,
                                                                         std::size_t elites)
{
    std::vector<std::shared_ptr<OptimiserState const>> states(elites);
    auto const& file = map.file();
    std::string const group = layout::elite_optimiser_group;
    if (!file.has(group)) {
        return states;
    }
    auto const rows = static_cast<std::int64_t>(elites);
    auto const steps = file.values<std::int64_t>(group + "/steps", {rows});
    require_range(file, group + "/steps", steps, layout::none, most);
    auto const has_moments = file.values<std::uint8_t>(group + "/has_moments", {rows});
    for (std::size_t i = 0; i < elites; ++i) {
        if (steps[i] != layout::none) {
            OptimiserState state{.steps = steps[i]};
            if (has_moments[i] != 0) {
                auto const row = static_cast<std::int64_t>(i);
                state.first_moment = read_elite_moment(map, "first_moment", row);
                state.second_moment = read_elite_moment(map, "second_moment", row);
            }
            states[i] = std::make_shared<OptimiserState const>(std::move(state));
        }
    }
    return states;
}

EliteMap read_elites(MapReader const& map, NoveltyArchive const& archive)
{
    auto const& file = map.file();
    auto elites = map.elites();
    layout::elite_state_columns(ColumnReader{file, std::span{elites}}, archive.size());
    auto optimisers = read_elite_optimisers(map, elites.size());
    std::set<std::int64_t> inserted;
    EliteMap result{map.space()};
    for (std::size_t row = 0; row < elites.size(); ++row) {
        auto& [cell, elite] = elites[row];
        require(file, inserted.insert(elite.inserted).second,
                "/state/elite_inserted holds a number twice");
        elite.controller = map.controller(static_cast<std::int64_t>(row));
        elite.optimiser = std::move(optimisers[row]);
        result.restore(cell, std::move(elite));
    }
    return result;
}

Eigen::VectorXd read_moment(MapReader const& map, std::string const& path)
{
    auto const values = map.file().values<double>(path, {map.network().inputs()});
    require_finite(map.file(), path, values);
    return vector_of<Eigen::VectorXd>(values);
}

std::vector<Emitter> read_emitters(MapReader const& map, NoveltyArchive const& archive)
{
    auto const& file = map.file();
    std::vector<Emitter> emitters(file.values<std::int64_t>("/state/emitter/steps").size());
    layout::emitter_columns(ColumnReader{file, std::span{emitters}}, map.space(),
                            map.network().parameter_count(), archive.size());
    return emitters;
}

std::vector<Candidate> read_candidates(MapReader const& map)
{
    auto const& file = map.file();
    std::string const group = layout::candidate_group;
    if (!file.has(group)) {
        return {};
    }
    std::vector<layout::StoredCandidate> stored(
        file.values<std::int64_t>(group + "/parent_cell").size());
    layout::candidate_columns(ColumnReader{file, std::span{stored}}, map.space(), map.network());
    std::vector<Candidate> candidates;
    for (auto& one : stored) {
        require(file, (one.controller.normaliser.std.array() > 0).all(),
                group + "/observation_std is not positive");
        candidates.push_back(
            {std::make_shared<Controller const>(std::move(one.controller)), one.parent_cell,
             one.has_optimiser ? std::make_shared<OptimiserState const>(std::move(one.optimiser))
                               : nullptr});
    }
    return candidates;
}

std::map<CellId, double> read_thresholds(MapReader const& map)
{
    auto const& file = map.file();
    std::string const group = layout::threshold_group;
    if (!file.has(group)) {
        return {};
    }
    auto const cells = file.values<std::int64_t>(group + "/cell");
    require_range(file, group + "/cell", cells, 0, map.space().cells() - 1);
    auto const values = file.values<double>(group + "/value", {std::ssize(cells)});
    require_finite(file, group + "/value", values);
    std::map<CellId, double> thresholds;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        thresholds[CellId{cells[i]}] = values[i];
    }
    return thresholds;
}

/// The root's summary and the state must describe the same moment.
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
    require_intact(map.file());
    auto archive = read_archive(map);
    auto elites = read_elites(map, archive);
    State state{std::move(elites),
                std::move(archive),
                {0, read_moment(map, "/state/observation_sum"),
                 read_moment(map, "/state/observation_sum_of_squares")}};
    state.archive_fitness = read_archive_fitness(map, state.archive);
    state.emitters = read_emitters(map, state.archive);
    state.candidates = read_candidates(map);
    state.thresholds = read_thresholds(map);
    layout::state_attributes(layout::AttributeReader{map.file(), "/state"}, state);
    require(map.file(), state.observations.count > 0, "/state@observation_count is not positive");
    state.history = map.history();
    require_consistent(map, state);
    auto timing = map.timing();
    require(map.file(), timing.size() == state.history.size(),
            "/timing and /history differ in length");
    return {map.run(),         map.bc_names(),     map.network(), map.qd_offset(), std::move(state),
            std::move(timing), map.reevaluation(), map.domain(),  map.program()};
}

}  // namespace mees
