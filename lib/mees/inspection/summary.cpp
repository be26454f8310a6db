#include "mees/inspection/commands.hpp"
#include "mees/inspection/detail/text_table.hpp"
#include "mees/report/format.hpp"
#include "mees/report/progress.hpp"
#include "mees/storage/checkpoint/newest_map.hpp"
#include "mees/storage/map/lookup.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

namespace mees::inspect {
namespace {

constexpr std::size_t name_width = 12;

void line(std::ostream& out, std::string_view name, std::string const& value)
{
    fmt::print(out, "{:<{}}{}\n", name, name_width, value);
}

/// The characters that a value may have in one line.
std::size_t room_in(Terminal const& terminal)
{
    return terminal.interactive
               ? std::max<std::size_t>(static_cast<std::size_t>(terminal.columns), 40) - name_width
               : std::string::npos;
}

double percent(double part, double total)
{
    return total > 0 ? 100 * part / total : 0;
}

std::string cells_of(BehaviourSpace const& space)
{
    return space.is_grid()
               ? fmt::format("{} = {} cells", fmt::join(space.bins(), " x "), space.cells())
               : fmt::format("{} Voronoi cells", space.cells());
}

/// "20 of 500"; "20" if this program cannot read the stored configuration.
std::string progress_of(MapReader const& map)
{
    auto const generation = map.generation().value();
    try {
        return fmt::format("{} of {}", generation, stored_settings(map.run()).run.generations);
    } catch (FileError const&) {
        return fmt::format("{}", generation);
    }
}

/// What is needed to run the map's episodes, if its environment is a program.
void describe_program(MapReader const& map, Terminal const& terminal, std::ostream& out)
{
    auto const program = map.program();
    if (!program) {
        return;
    }
    std::string command;
    try {
        command =
            fmt::format("{}", fmt::join(stored_settings(map.run()).domain.process.command, " "));
    } catch (FileError const&) {
        command = "?";
    }
    auto const show = [&](std::string_view name, std::string const& text) {
        line(out, name, broken(text, room_in(terminal), name_width));
    };
    show("program", fmt::format("{} (not in this file: mees_replay starts it)", escaped(command)));
    show("episode", fmt::format("{} control steps{}; {} observations, {} actions",
                                grouped(program->episode_steps),
                                program->seconds_per_step > 0
                                    ? fmt::format(" of {:g} s", program->seconds_per_step)
                                    : "",
                                program->observation_size, program->action_size));
    show("reward", fmt::format("{}; fitness is the {}",
                               escaped(fmt::format("{}", fmt::join(program->reward_terms, ", "))),
                               program->fitness == FitnessRule::last_reward ? "last reward"
                                                                            : "sum of rewards"));
}

void describe_run(MapReader const& map, Terminal const& terminal, std::ostream& out)
{
    auto const& run = map.run();
    line(out, "run",
         fmt::format("{} on {}, seed {}", escaped(run.algorithm), escaped(run.domain), run.seed));
    line(out, "written",
         broken(escaped(fmt::format("{} by mees {} ({}), MuJoCo {}", run.created, run.mees_version,
                                    run.git_commit, run.mujoco_version)),
                room_in(terminal), name_width));
    if (!run.start_from.empty()) {
        // PATH (sha256 DIGEST), which is too long for a line.
        auto const digest = run.start_from.rfind(" (");
        bool const fits = run.start_from.size() <= room_in(terminal);
        line(out, "start from",
             escaped(run.start_from.substr(0, fits ? std::string::npos : digest)));
        if (!fits && digest != std::string::npos) {
            fmt::print(out, "    {}\n", escaped(run.start_from.substr(digest + 1)));
        }
    }
    describe_program(map, terminal, out);
    line(out, "generation", progress_of(map));
    line(out, "episodes",
         fmt::format("{} ({} steps)", grouped(map.episodes()), grouped(map.steps())));
    line(out, "controller",
         fmt::format("{}, {} parameters", fmt::join(map.network().layers(), " - "),
                     grouped(map.network().parameter_count())));
}

/// Newer states of the run, which this file does not contain.
void describe_changes(MapReader const& map, std::filesystem::path const& folder,
                      Terminal const& terminal, std::ostream& out)
{
    if (folder.empty() || changes_in(folder).empty()) {
        return;
    }
    auto const reached = reachable_generation(folder, map.file().path());
    if (reached > map.generation()) {
        line(out, "changes",
             broken(fmt::format("up to generation {} in map.changes-*.h5, not shown here "
                                "(mees_inspect merge)",
                                reached.value()),
                    room_in(terminal), name_width));
    }
}

void describe_space(MapReader const& map, Terminal const& terminal, std::ostream& out)
{
    auto const& space = map.space();
    std::vector<std::string> axes;
    for (std::size_t axis = 0; axis < map.bc_names().size(); ++axis) {
        // Axes of the same bounds have them once.
        bool const last = axis + 1 == map.bc_names().size()
                          || space.lower()[axis + 1] != space.lower()[axis]
                          || space.upper()[axis + 1] != space.upper()[axis];
        axes.push_back(
            escaped(map.bc_names()[axis])
            + (last ? fmt::format(" in {:g}..{:g}", space.lower()[axis], space.upper()[axis])
                    : ""));
    }
    line(out, "behaviour",
         broken(fmt::format("{}", fmt::join(axes, ", ")), room_in(terminal), name_width));
    line(out, "cells", cells_of(space));
}

/// A screen that the whole output fits if it is kept short.
bool is_low(Terminal const& terminal)
{
    return terminal.rows > 0 && terminal.rows <= 30;
}

/// The figures of these elites, headed by short names.
std::vector<TextColumn> top_columns(MapReader const& map,
                                    std::vector<std::pair<CellId, Elite>> const& elites)
{
    std::vector<TextColumn> columns;
    auto const add = [&](std::string name, auto const& text) {
        columns.push_back({name, {name}});
        for (auto const& [cell, elite] : elites) {
            columns.back().texts.push_back(fmt::format("{}", text(cell, elite)));
        }
    };
    auto const add_numbers = [&](std::string name, auto const& number) {
        std::vector<double> values;
        for (auto const& entry : elites) {
            values.push_back(number(entry.second));
        }
        auto texts = aligned_numbers(values);
        texts.insert(texts.begin(), name);
        columns.push_back({std::move(name), std::move(texts)});
    };
    add("cell", [](CellId cell, Elite const& /*elite*/) { return cell.value(); });
    add_numbers("fitness", [](Elite const& elite) { return elite.fitness; });
    add_numbers("+-", [](Elite const& elite) { return elite.fitness_std; });
    add("generation", [](CellId /*cell*/, Elite const& elite) { return elite.generation.value(); });
    auto const names = short_names(map.bc_names());
    for (std::size_t axis = 0; axis < names.size(); ++axis) {
        add_numbers(names[axis], [axis](Elite const& elite) { return elite.bc[axis]; });
    }
    return columns;
}

void describe_best(MapReader const& map, std::vector<std::pair<CellId, Elite>> elites,
                   Terminal const& terminal, std::ostream& out)
{
    std::ranges::stable_sort(elites, std::ranges::greater{},
                             [](auto const& entry) { return entry.second.fitness; });
    auto const& best = elites.front().second;
    if (!is_low(terminal)) {
        line(
            out, "best",
            fmt::format("{} in cell {}", short_number(best.fitness), elites.front().first.value()));
    }
    line(out, "fitness",
         fmt::format("median {}, lowest {}", short_number(elites[elites.size() / 2].second.fitness),
                     short_number(elites.back().second.fitness)));
    elites.resize(std::min<std::size_t>(elites.size(), is_low(terminal) ? 3 : 5));
    auto columns = top_columns(map, elites);
    constexpr std::string_view heading = "top cells   ";
    auto const room =
        terminal.interactive ? static_cast<std::size_t>(terminal.columns) : std::string::npos;
    out << (is_low(terminal) ? "" : "\n");
    print_table(std::move(columns), heading, room, out);
}

/// "1: 12, 2: 30 elites", of a map with chains.
void describe_links(MapReader const& map, std::ostream& out)
{
    auto const links = map.links();
    std::map<std::int32_t, std::int64_t> elites;
    for (auto const count : links) {
        ++elites[count];
    }
    if (elites.empty() || elites.rbegin()->first == 1) {
        return;
    }
    std::vector<std::string> texts;
    for (auto const& [count, number] : elites) {
        texts.push_back(fmt::format("{} of {} link{}", number, count, count == 1 ? "" : "s"));
    }
    line(out, "chains", fmt::format("{}", fmt::join(texts, ", ")));
}

void describe_refinement(MapReader const& map, std::ostream& out)
{
    auto const refinement = map.refinement();
    if (!refinement) {
        return;
    }
    auto const& targets = refinement->progress.targets;
    auto const done = std::ranges::count(targets, true, &RefinementTarget::done);
    line(out, "refined",
         fmt::format("{} of {} cells{}, {} episodes (seed {})", done, targets.size(),
                     done < std::ssize(targets) ? ", not finished" : "",
                     grouped(refinement->progress.episodes), refinement->seed));
    line(out, "from", escaped(refinement->map));
    if (!refinement->conditions.empty()) {
        line(out, "conditions",
             escaped(fmt::format("{} (not the run's)", fmt::join(refinement->conditions, ", "))));
    }
}

void describe_elites(MapReader const& map, double qd_offset, Terminal const& terminal,
                     std::ostream& out)
{
    auto elites = map.elites();
    line(out, "filled",
         fmt::format("{} ({:.2f} %)", elites.size(),
                     percent(static_cast<double>(elites.size()),
                             static_cast<double>(map.space().cells()))));
    describe_links(map, out);
    double score = 0;
    for (auto const& [cell, elite] : elites) {
        score += elite.fitness - qd_offset;
    }
    line(out, "QD score",
         fmt::format("{} (offset {})", short_number(score), plain_number(qd_offset)));
    auto const dimensions = static_cast<std::size_t>(map.space().dimensions());
    if (!is_low(terminal)) {
        line(out, "archive", fmt::format("{} behaviours", map.archive().size() / dimensions));
    }
    if (auto const again = map.reevaluation()) {
        line(out, "evaluated",
             fmt::format("again, {} episodes for each of {} elites (seed {}); {} kept",
                         again->episodes, again->rows.size(), again->seed, elites.size()));
        if (!again->conditions.empty()) {
            line(out, "conditions",
                 fmt::format("{} (not the run's)", fmt::join(again->conditions, ", ")));
        }
        if (again->variants) {
            line(out, "variants",
                 fmt::format("{} of the model: {}", again->variants->variants.size(),
                             escaped(again->variants->text)));
        }
    }
    describe_refinement(map, out);
    if (!elites.empty()) {
        describe_best(map, std::move(elites), terminal, out);
    }
}

/// How workers and master spent the time; nothing for files that do not store it.
void describe_work(std::vector<GenerationTiming> const& timing, std::ostream& out)
{
    GenerationTiming sum;
    for (auto const& row : timing) {
        sum.physics += row.physics;
        sum.policy += row.policy;
        sum.waiting += row.waiting;
        sum.update += row.update;
        sum.checkpoint += row.checkpoint;
    }
    double const workers = sum.physics + sum.policy + sum.waiting;
    if (workers > 0) {
        line(out, "",
             fmt::format("workers: physics {:.1f} %, policy {:.1f} %, waiting {:.1f} %",
                         percent(sum.physics, workers), percent(sum.policy, workers),
                         percent(sum.waiting, workers)));
        line(out, "",
             fmt::format("master: update {}, checkpoints {}", duration(sum.update),
                         duration(sum.checkpoint)));
    }
}

/// Wall time by the mode of the generations, and the rate of episodes.
void describe_time(MapReader const& map, Terminal const& terminal, std::ostream& out)
{
    auto const history = map.history();
    auto const timing = map.timing();
    auto const& run = map.run();
    out << (is_low(terminal) ? "" : "\n");
    line(out, "wall time",
         fmt::format("{}, {} restart{}", duration(run.wall_seconds), run.restarts,
                     run.restarts == 1 ? "" : "s"));
    if (history.empty() || timing.size() != history.size()) {
        return;
    }
    std::array<double, 3> seconds{};
    std::array<std::int64_t, 3> generations{};
    double total = 0;
    for (std::size_t row = 0; row < history.size(); ++row) {
        auto const mode = static_cast<std::size_t>(history[row].mode);
        seconds.at(mode) += timing[row].seconds;
        ++generations.at(mode);
        total += timing[row].seconds;
    }
    for (std::size_t mode = 0; mode < seconds.size(); ++mode) {
        if (generations[mode] > 0) {
            line(out, "",
                 fmt::format("{:<8}{:>12} ({:.1f} %) in {} generation{}",
                             mode_name(static_cast<Mode>(mode)), duration(seconds[mode]),
                             percent(seconds[mode], total), generations[mode],
                             generations[mode] == 1 ? "" : "s"));
        }
    }
    describe_work(timing, out);
    line(out, "",
         fmt::format("{} episodes and {} steps per second, {} workers at the end",
                     short_number(static_cast<double>(map.episodes()) / std::max(total, 1e-9)),
                     short_number(static_cast<double>(map.steps()) / std::max(total, 1e-9)),
                     timing.back().workers));
    if (history.back().diverged > 0) {
        line(out, "diverged", fmt::format("{} episodes", history.back().diverged));
    }
}

}  // namespace

ExitCode summary(std::filesystem::path const& file, std::filesystem::path const& folder,
                 std::optional<double> qd_offset, Terminal const& terminal, std::ostream& out)
{
    MapReader const map{file};
    fmt::print(out, "{}, format {}.{}\n", escaped(file.string()), map.format_version().major,
               map.format_version().minor);
    describe_run(map, terminal, out);
    describe_changes(map, folder, terminal, out);
    describe_space(map, terminal, out);
    describe_elites(map, qd_offset.value_or(map.qd_offset()), terminal, out);
    describe_time(map, terminal, out);
    return ExitCode::success;
}

}  // namespace mees::inspect
