#include "mees/storage/navigation_file.hpp"

#include "mees/core/atomic_file.hpp"
#include "mees/storage/detail/run_attributes.hpp"
#include "mees/storage/hdf5/detail/digest.hpp"

#include <fmt/format.h>

#include <cmath>

namespace mees {
namespace {

constexpr FileKind navigation_kind{navigation_filetype, navigation_format_version, "a nav.h5"};
constexpr char const* min_fitness = "min_fitness";

template <class Attributes, class Settings>
void navigation_attributes(Attributes const& attributes, Settings& settings)
{
    constexpr layout::Range counts{1, most};
    attributes("iterations", settings.planner.iterations, counts);
    attributes("trees", settings.planner.trees, counts);
    attributes("candidates", settings.planner.candidates, counts);
    attributes("depth", settings.planner.depth, counts);
    attributes("exploration", settings.planner.exploration);
    attributes("curiosity", settings.planner.curiosity);
    attributes("discount", settings.planner.discount);
    attributes("variance", settings.model.variance);
    attributes("length_scale", settings.model.length_scale);
    attributes("noise_variance", settings.model.noise_variance);
    attributes("elite_variance", settings.model.elite_variance);
    attributes("max_actions", settings.max_actions, counts);
    attributes("rest_seconds", settings.rest_seconds);
}

/// A walk without its lists.
struct WalkRow {
    std::string damage;
    std::int64_t seed{0};
    bool learning{true};
    std::int64_t actions{0};
};

/// A target of a walk.
struct TargetRow {
    std::int64_t walk{0};
    std::int64_t target{0};
    TargetResult result;
};

/// An action of a walk.
struct StepRow {
    std::int64_t walk{0};
    NavigationStep step;
};

template <class Table>
void walk_columns(Table const& table)
{
    table.column("/walks/damage", &WalkRow::damage);
    table.column("/walks/seed", &WalkRow::seed);
    table.column("/walks/learning", &WalkRow::learning, {0, 1});
    table.column("/walks/actions", &WalkRow::actions);
}

template <class Table>
void target_columns(Table const& table, std::vector<WalkRow> const& walks)
{
    auto const walk = [&](auto& row) -> auto const&
    {
        return walks.at(static_cast<std::size_t>(row.walk));
    };
    table.column("/results/walk", &TargetRow::walk, {0, std::ssize(walks) - 1});
    table.computed_column("/results/damage", [&](auto& row) { return walk(row).damage; });
    table.computed_column("/results/seed", [&](auto& row) { return walk(row).seed; });
    table.computed_column("/results/learning", [&](auto& row) { return walk(row).learning; });
    table.column("/results/target", &TargetRow::target);
    table.column(
        "/results/actions", [](auto& row) -> auto& { return row.result.actions; });
    table.column("/results/reached", [](auto& row) -> auto& { return row.result.reached; }, {0, 1});
    table.column(
        "/results/collisions", [](auto& row) -> auto& { return row.result.collisions; });
}

template <class Table>
void step_columns(Table const& table, std::int64_t walks, std::int64_t targets)
{
    auto const pose = [](auto member) {
        return [member](auto& row) -> auto&
        {
            return row.step.pose.*member;
        };
    };
    table.column("/actions/walk", &StepRow::walk, {0, walks - 1});
    table.column("/actions/target", [](auto& row) -> auto& { return row.step.target; },
                 {0, targets - 1});
    table.column(
        "/actions/cell", [](auto& row) -> auto& { return row.step.cell; });
    table.column("/actions/x", pose(&GroundPose::x));
    table.column("/actions/y", pose(&GroundPose::y));
    table.column("/actions/heading_cos", pose(&GroundPose::cos));
    table.column("/actions/heading_sin", pose(&GroundPose::sin));
    table.column(
        "/actions/predicted_x", [](auto& row) -> auto& { return row.step.predicted.x; });
    table.column(
        "/actions/predicted_y", [](auto& row) -> auto& { return row.step.predicted.y; });
    table.column("/actions/collision", [](auto& row) -> auto& { return row.step.collision; },
                 {0, 1});
}

struct Tables {
    std::vector<WalkRow> walks;
    std::vector<TargetRow> targets;
    std::vector<StepRow> steps;
};

Tables tables_of(std::vector<NavigationResult> const& results)
{
    Tables tables;
    for (auto const& result : results) {
        auto const walk = std::ssize(tables.walks);
        tables.walks.push_back(
            {result.damage, result.seed, result.learning, std::ssize(result.steps)});
        for (std::size_t i = 0; i < result.targets.size(); ++i) {
            tables.targets.push_back({walk, static_cast<std::int64_t>(i), result.targets[i]});
        }
        for (auto const& step : result.steps) {
            tables.steps.push_back({walk, step});
        }
    }
    return tables;
}

void write_navigation_content(std::filesystem::path const& path, NavigationDocument const& document)
{
    hdf5::Writer file{path};
    auto const tables = tables_of(document.results);
    write_run_attributes(file, navigation_kind, document.run,
                         {document.generation, std::ssize(tables.walks), 0});
    file.attribute("/", "map_sha256", std::string_view{document.map_sha256});
    file.attribute("/", "arena", std::string_view{to_toml(document.course.arena)});
    navigation_attributes(layout::AttributeWriter{file, "/"}, document.settings);
    if (document.least_fitness) {
        file.attribute("/", min_fitness, *document.least_fitness);
    }
    for (auto const* group : {"/targets", "/walks", "/results", "/actions"}) {
        file.group(group);
    }
    layout::ColumnWriter const targets{file, document.course.targets};
    targets.column("/targets/x", &GroundPoint::x);
    targets.column("/targets/y", &GroundPoint::y);
    walk_columns(layout::ColumnWriter{file, tables.walks});
    target_columns(layout::ColumnWriter{file, tables.targets}, tables.walks);
    step_columns(layout::ColumnWriter{file, tables.steps}, 0, 0);
    file.finish();
}

template <class Record>
std::vector<Record> rows_like(hdf5::Reader const& file, std::string const& column)
{
    return std::vector<Record>(file.values<std::int64_t>(column).size());
}

Tables read_tables(hdf5::Reader const& file, std::int64_t targets)
{
    Tables tables{rows_like<WalkRow>(file, "/walks/seed"),
                  rows_like<TargetRow>(file, "/results/walk"),
                  rows_like<StepRow>(file, "/actions/walk")};
    walk_columns(layout::ColumnReader{file, std::span{tables.walks}});
    target_columns(layout::ColumnReader{file, std::span{tables.targets}}, tables.walks);
    step_columns(layout::ColumnReader{file, std::span{tables.steps}}, std::ssize(tables.walks),
                 targets);
    return tables;
}

/// The walks again; throws FileError unless the rows are those of each walk, in order.
std::vector<NavigationResult> results_in(hdf5::Reader const& file, Tables const& tables,
                                         Course const& course)
{
    std::vector<NavigationResult> results;
    auto step = tables.steps.begin();
    auto target = tables.targets.begin();
    for (auto const& walk : tables.walks) {
        auto const index = std::ssize(results);
        auto& result =
            results.emplace_back(NavigationResult{walk.damage, walk.seed, walk.learning, {}, {}});
        for (; step != tables.steps.end() && step->walk == index; ++step) {
            result.steps.push_back(step->step);
        }
        for (; target != tables.targets.end() && target->walk == index; ++target) {
            result.targets.push_back(target->result);
        }
        require(file,
                std::ssize(result.steps) == walk.actions
                    && result.targets == results_of(result.steps, course),
                "/results or /actions do not belong to /walks");
    }
    require(file, step == tables.steps.end() && target == tables.targets.end(),
            "/results or /actions have rows of no walk");
    return results;
}

ArenaSettings read_arena_attribute(hdf5::Reader const& file)
{
    try {
        return parse_arena(file.text("/", "arena"), "/@arena");
    } catch (ConfigError const& error) {
        throw file.error(error.what());
    }
}

}  // namespace

void write_navigation(std::filesystem::path const& path, NavigationDocument const& document)
{
    AtomicFile file{path};
    write_navigation_content(file.temporary(), document);
    file.commit();
}

NavigationDocument read_navigation(std::filesystem::path const& path)
{
    hdf5::Reader const file{path};
    static_cast<void>(read_format_version(file, navigation_kind));
    require_intact(file);
    NavigationDocument document;
    document.run = read_run_attributes(file);
    document.generation = Generation{file.integer("/", "generation")};
    document.map_sha256 = file.text("/", "map_sha256");
    document.course.arena = read_arena_attribute(file);
    navigation_attributes(layout::AttributeReader{file, "/"}, document.settings);
    if (file.has_attribute("/", min_fitness)) {
        document.least_fitness = file.real("/", min_fitness);
        require(file, !std::isnan(*document.least_fitness), "/@min_fitness is not a number");
    }
    document.course.targets.resize(file.values<double>("/targets/x").size());
    layout::ColumnReader const targets{file, std::span{document.course.targets}};
    targets.column("/targets/x", &GroundPoint::x);
    targets.column("/targets/y", &GroundPoint::y);
    auto const tables = read_tables(file, std::ssize(document.course.targets));
    document.results = results_in(file, tables, document.course);
    return document;
}

}  // namespace mees
