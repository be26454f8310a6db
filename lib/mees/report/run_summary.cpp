#include "mees/core/statistics.hpp"
#include "mees/core/text.hpp"
#include "mees/core/version.hpp"
#include "mees/report/format.hpp"
#include "mees/report/heatmap.hpp"
#include "mees/report/run_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace mees {
namespace {

std::string reason(SearchProblem const& problem, State const& state, RunEnd const& end)
{
    auto const last = problem.settings.run.generations;
    auto const reached = state.history.back().generation.value();
    if (end.stopped_by.empty()) {
        return reached > last
                   ? fmt::format("Finished: generation {} ({} requested).\n", reached, last)
                   : fmt::format("Finished after generation {} of {}.\n", reached, last);
    }
    return fmt::format(
        "Stopped by {} after generation {} of {}.\n"
        "The state is saved: run the same command again to resume.\n",
        end.stopped_by, reached, last);
}

std::string figures(SearchProblem const& problem, State const& state, RunEnd const& end)
{
    auto const cell = best_cell(state.map);
    auto const& elite = *state.map.find(*cell);
    auto const cells = state.map.space().cells();
    auto const offset = problem.settings.map.qd_offset;
    auto const share = 100.0 * static_cast<double>(state.map.filled()) / static_cast<double>(cells);
    std::string text = fmt::format(
        "  best cell  {}: fitness {} (standard deviation {}), from "
        "generation {}\n",
        cell->value(), short_number(elite.fitness), short_number(elite.fitness_std),
        elite.generation.value());
    text += fmt::format("             {}\n",
                        broken(describe_behaviour(elite.bc, end.bc_names), 67, 13));
    text += fmt::format("  coverage   {} of {} cells ({:.3g} %)\n", grouped(state.map.filled()),
                        grouped(cells), share);
    text += fmt::format("  QD score   {} (offset {})\n", short_number(qd_score(state.map, offset)),
                        plain_number(offset));
    // Those up to the last generation, as in the map file; the state may be ahead of it.
    auto const& last = state.history.back();
    text += fmt::format("  episodes   {} ({} diverged), {} steps\n", grouped(last.episodes),
                        grouped(last.diverged), grouped(last.steps));
    text += fmt::format("  time       {}", duration(end.seconds));
    bool const several = end.seconds > end.session_seconds + 1;
    return text
           + (several
                  ? fmt::format(" in total, {} since this start\n", duration(end.session_seconds))
                  : "\n");
}

std::string heatmap_text(State const& state, RunEnd const& end, Terminal const& terminal)
{
    auto const dimensions = state.map.space().dimensions();
    auto shown = terminal;
    shown.columns = std::min(terminal.columns, 80);
    auto const note = dimensions > 2
                          ? fmt::format(" (first two of {} axes, best over the others)", dimensions)
                          : "";
    return fmt::format("Fitness over the map{}:\n{}", note,
                       draw(project(state.map, end.bc_names), shown));
}

std::string places(RunEnd const& end)
{
    auto const folder = end.folder.string();
    return fmt::format(
        "\nFiles in {}: map.h5, metrics.csv, config.toml, mees.log.\nTo inspect the run:\n"
        "  mees_inspect summary {}\n"
        "  mees_inspect heatmap {}\n"
        "  mees_replay {} --cell best\n",
        folder, folder, folder, folder);
}

/// min, mean and max over the workers of each part of the time.
std::string time_table(TimeSplit const& time)
{
    auto text = fmt::format("\n{:<22}{:>10}{:>10}{:>10}\n", "Seconds since this start", "min",
                            "mean", "max");
    if (!time.workers.empty()) {
        auto const who =
            fmt::format("{} worker{}", time.workers.size(), time.workers.size() == 1 ? "" : "s");
        for (auto const& [name, part] : {std::pair{"physics", &WorkerTiming::physics},
                                         std::pair{"policy", &WorkerTiming::policy},
                                         std::pair{"waiting", &WorkerTiming::waiting}}) {
            std::vector<double> seconds;
            std::ranges::transform(time.workers, std::back_inserter(seconds), part);
            auto const [least, most] = std::ranges::minmax(seconds);
            text += fmt::format("  {:<22}{:>10.1f}{:>10.1f}{:>10.1f}   {}\n", name, least,
                                mean_of(seconds), most, who);
        }
    }
    text += fmt::format("  {:<22}{:>10}{:>10.1f}{:>10}   master\n", "update", "", time.update, "");
    return text
           + fmt::format("  {:<22}{:>10}{:>10.1f}{:>10}   master\n", "checkpoint", "",
                         time.checkpoint, "");
}

/// The best cell and the map; nothing before the first controller was evaluated.
std::string map_members(State const& state, double qd_offset)
{
    auto const cell = best_cell(state.map);
    if (!cell) {
        return {};
    }
    auto const& elite = *state.map.find(*cell);
    return fmt::format(
        "  \"best\": {},\n  \"best_std\": {},\n  \"best_cell\": {},\n  \"best_bc\": [{}],\n"
        "  \"qd_score\": {},\n",
        elite.fitness, elite.fitness_std, cell->value(), fmt::join(elite.bc, ", "),
        qd_score(state.map, qd_offset));
}

}  // namespace

std::string run_summary_json(SearchProblem const& problem, State const& state, RunEnd const& end)
{
    auto const& settings = problem.settings;
    auto const last = state.history.empty() ? GenerationRecord{} : state.history.back();
    std::vector<std::string> names;
    std::ranges::transform(end.bc_names, std::back_inserter(names), json_string);
    auto text = fmt::format(
        "{{\n  \"finished\": {},\n  \"stopped_by\": {},\n  \"mees_version\": {},\n"
        "  \"domain\": {},\n  \"algorithm\": {},\n  \"seed\": {},\n"
        "  \"generation\": {},\n  \"generations\": {},\n",
        end.stopped_by.empty(), end.stopped_by.empty() ? "null" : json_string(end.stopped_by),
        json_string(version()), json_string(settings.domain.name),
        json_string(settings.algorithm.name), settings.run.seed, last.generation.value(),
        settings.run.generations);
    text += fmt::format("  \"bc_names\": [{}],\n", fmt::join(names, ", "));
    text += map_members(state, settings.map.qd_offset);
    return text
           + fmt::format(
               "  \"coverage\": {},\n  \"cells\": {},\n  \"qd_offset\": {},\n"
               "  \"episodes\": {},\n  \"steps\": {},\n  \"diverged\": {},\n"
               "  \"seconds\": {}\n}}\n",
               state.map.filled(), state.map.space().cells(), settings.map.qd_offset, last.episodes,
               last.steps, last.diverged, end.seconds);
}

std::string run_summary(SearchProblem const& problem, State const& state, RunEnd const& end,
                        Terminal const& terminal)
{
    if (state.history.empty() || state.map.filled() == 0) {
        return fmt::format(
            "Stopped by {} before the first controller was evaluated. Run the same "
            "command again to start.\n",
            end.stopped_by);
    }
    // What matters most comes last: it stays on the screen.
    return heatmap_text(state, end, terminal) + time_table(end.time) + "\n"
           + reason(problem, state, end) + figures(problem, state, end) + places(end);
}

}  // namespace mees
