#include "mees/viewer/content.hpp"

#include "mees/core/error.hpp"
#include "mees/experiment/map_fit.hpp"
#include "mees/viewer/detail/json.hpp"

#include <algorithm>
#include <cstring>
#include <ranges>
#include <span>

namespace mees::viewer {
namespace {

constexpr std::size_t longest_description = 1U << 20U;

std::string run_json(MapReader const& map)
{
    auto const& run = map.run();
    JsonObject object;
    object.add("mees_version", run.mees_version)
        .add("git_commit", run.git_commit)
        .add("created", run.created)
        .add("mujoco_version", run.mujoco_version)
        .add("domain", run.domain)
        .add("algorithm", run.algorithm)
        .add("seed", run.seed)
        .add("wall_seconds", run.wall_seconds)
        .add("restarts", run.restarts)
        .add("generation", map.generation().value())
        .add("episodes", map.episodes())
        .add("steps", map.steps());
    return object.text();
}

std::string space_json(MapReader const& map)
{
    auto const& space = map.space();
    JsonObject object;
    object.raw("names", json_list(map.bc_names()))
        .raw("bins", json_list(space.bins()))
        .raw("lower", json_list(space.lower()))
        .raw("upper", json_list(space.upper()));
    if (!space.is_grid()) {
        object.raw("centroids", json_list(space.centroids()));
    }
    return object.text();
}

std::int64_t number_or_none(std::optional<CellId> const& cell)
{
    return cell ? cell->value() : -1;
}

std::string cells_json(MapReader const& map)
{
    auto const elites = map.elites();
    auto const column = [&](auto const& value) {
        return json_list(elites, [&](auto const& entry) { return value(entry.second); });
    };
    std::vector<double> bc;
    for (auto const& [cell, elite] : elites) {
        bc.insert(bc.end(), elite.bc.begin(), elite.bc.end());
    }
    JsonObject object;
    object.raw("cell", json_list(elites, [](auto const& entry) { return entry.first.value(); }))
        .raw("bc", json_list(bc))
        .raw("fitness", column([](Elite const& elite) { return elite.fitness; }))
        .raw("fitness_std", column([](Elite const& elite) { return elite.fitness_std; }))
        .raw("novelty", column([](Elite const& elite) { return elite.novelty; }))
        .raw("generation", column([](Elite const& elite) { return elite.generation.value(); }))
        .raw("parent", column([](Elite const& elite) { return number_or_none(elite.parent_cell); }))
        .raw("links", json_list(map.links()));
    return object.text();
}

std::string history_json(MapReader const& map)
{
    auto const history = map.history();
    auto const column = [&](auto const& value) { return json_list(history, value); };
    using Record = GenerationRecord;
    JsonObject object;
    object.raw("generation", column([](Record const& row) { return row.generation.value(); }))
        .raw("mode", column([](Record const& row) { return static_cast<int>(row.mode); }))
        .raw("parent", column([](Record const& row) { return number_or_none(row.parent_cell); }))
        .raw("cell", column([](Record const& row) { return number_or_none(row.cell); }))
        .raw("fitness", column([](Record const& row) { return row.fitness; }))
        .raw("best", column([](Record const& row) { return row.best; }))
        .raw("coverage", column([](Record const& row) { return row.coverage; }))
        .raw("qd_score", column([](Record const& row) { return row.qd_score; }))
        .raw("novelty", column([](Record const& row) { return row.novelty; }))
        .raw("episodes", column([](Record const& row) { return row.episodes; }))
        .raw("seconds", json_list(map.timing(), [](auto const& row) { return row.seconds; }));
    return object.text();
}

std::string assets_json(DomainDocument const& document)
{
    std::string text = "[";
    for (auto const& [file, content] : document.assets) {
        JsonObject asset;
        asset.add("file", file)
            .add("bytes", base64({reinterpret_cast<char const*>(content.data()), content.size()}));
        text += fmt::format("{}{}", text.size() == 1 ? "" : ",", asset.text());
    }
    return text + "]";
}

/// The robot of a map of format 1.0, if its domain comes with this program; else null.
std::shared_ptr<DomainDocument const> built_in_domain(MapReader const& map)
{
    try {
        DomainRegistry const known;
        auto const settings = settings_to_run(map.run(), known);
        if (known.starts_command(settings.domain.name)) {
            return nullptr;  // a program cannot be simulated in a page, and is not started
        }
        auto const domain = domains_of(map, settings, known).make(settings.domain);
        require_map_fits(map, settings, domain->spec());
        return domain->document();
    } catch (Error const&) {
        return nullptr;
    }
}

/// What is needed to run the episodes of a map whose environment is a program; else null.
std::string program_json(MapReader const& map)
{
    DomainRegistry const known;
    try {
        auto const settings = settings_to_run(map.run(), known);
        if (!known.starts_command(settings.domain.name)) {
            return "null";
        }
        JsonObject object;
        object.raw("command", json_list(settings.domain.process.command));
        if (auto const program = map.program()) {
            object.add("episode_steps", program->episode_steps)
                .add("observation_size", program->observation_size)
                .add("action_size", program->action_size)
                .raw("reward_terms", json_list(program->reward_terms));
        }
        return object.text();
    } catch (Error const&) {
        return "null";
    }
}

/// null for a map without a robot.
std::string domain_json(MapReader const& map)
{
    auto document = map.domain();
    if (!document) {
        document = built_in_domain(map);
    }
    if (!document) {
        return "null";
    }
    if (document->description.size() > longest_description) {
        throw map.file().error("/domain/description is too long");
    }
    JsonObject object;
    object.add("model", document->model)
        .raw("description", toml_to_json(document->description, "the description of its task"))
        .raw("assets", assets_json(*document));
    return object.text();
}

}  // namespace

std::string runs_json(Library const& library)
{
    std::string text = "[";
    for (std::size_t i = 0; i < library.size(); ++i) {
        JsonObject run;
        run.add("name", library.name(i)).add("path", library.path(i).string());
        text += fmt::format("{}{}", i == 0 ? "" : ",", run.text());
    }
    return text + "]";
}

std::string map_json(Library const& library, std::size_t run, OpenMap const& map)
{
    auto const& reader = map.reader;
    JsonObject network;
    network.raw("layers", json_list(reader.network().layers()))
        .add("output", name_of(reader.network().output()));
    JsonObject object;
    object.add("name", library.name(run))
        .add("path", library.path(run).string())
        .add("version", map.version)
        .add("finished", library.finished(run))
        .raw("run", run_json(reader))
        .raw("settings", toml_to_json(reader.run().config, "the stored configuration"))
        .raw("space", space_json(reader))
        .raw("network", network.text())
        .add("qd_offset", reader.qd_offset())
        .raw("cells", cells_json(reader))
        .raw("history", history_json(reader))
        .raw("checkpoints", json_list(library.checkpoints(run)))
        .raw("domain", domain_json(reader))
        .raw("program", program_json(reader));
    return object.text();
}

std::string controller_bytes(MapReader const& map, std::int64_t row)
{
    auto const rows = map.file().shape("/map/cell");
    if (row < 0 || rows.empty() || row >= rows.front()) {
        throw map.file().error(fmt::format("it has no row {}", row));
    }
    auto const controller = map.controller(row);
    std::string bytes;
    auto const append = [&](auto const& values) {
        auto const size = static_cast<std::size_t>(values.size()) * sizeof *values.data();
        bytes.append(reinterpret_cast<char const*>(values.data()), size);
    };
    std::vector<Controller const*> links;
    for (auto const* link = controller.get(); link != nullptr; link = link->before.get()) {
        links.push_back(link);
    }
    for (auto const* link : links | std::views::reverse) {
        bytes.resize((bytes.size() + 7) / 8 * 8);
        append(link->normaliser.mean);
        append(link->normaliser.std);
        append(link->parameters);
    }
    return bytes;
}

}  // namespace mees::viewer
