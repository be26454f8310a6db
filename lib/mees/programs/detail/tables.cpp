#include "mees/programs/detail/tables.hpp"

#include "mees/core/error.hpp"
#include "mees/report/format.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace mees {
namespace {

std::string deviation_line(Deviation const& deviation)
{
    return fmt::format("  {:<20} {:>16.1e} {:>12.1e}   {}\n", deviation.quantity, deviation.early,
                       deviation.all,
                       deviation.first_beyond ? std::to_string(*deviation.first_beyond) : "-");
}

/// Quantities of the model that deviate one by one, then the largest deviation of all of them.
std::string model_lines(ReferenceCheck const& check)
{
    std::string text;
    Deviation model{.quantity = "model"};
    for (auto const& deviation : check.model) {
        model.early = std::max(model.early, deviation.early);
        if (deviation.early > ReferenceCheck::model_tolerance) {
            text +=
                deviation_line({"model/" + deviation.quantity, deviation.early, deviation.all, {}});
        }
    }
    model.all = model.early;
    return text + deviation_line(model);
}

}  // namespace

std::string estimate_table(Estimate const& estimate, SearchProblem const& problem,
                           TaskSpec const& spec)
{
    auto const& settings = problem.settings;
    std::string text;
    auto const add = [&](std::string_view name, std::string const& value) {
        text += line(name, 25, value);
    };
    add("algorithm", problem.label());
    add("domain", fmt::format("{}, {} steps per episode", spec.name, spec.episode_steps));
    add("network", fmt::format("{}", fmt::join(problem.network.layers(), " x ")));
    add("parameters", fmt::format("{}", estimate.parameters));
    add("behaviour", escaped(fmt::format("{}", fmt::join(spec.bc_names, ", "))));
    add("cells", problem.space.is_grid() ? fmt::format("{} ({})", estimate.cells,
                                                       fmt::join(problem.space.bins(), " x "))
                                         : fmt::format("{} (CVT)", estimate.cells));
    add("generations", fmt::format("{}", settings.run.generations));
    add("episodes per generation", fmt::format("{}", estimate.episodes_per_generation));
    add("total episodes", fmt::format("{}", estimate.episodes));
    add("noise table", fmt::format("{} per node", human_bytes(estimate.noise_bytes)));
    add("memory of the master", fmt::format("up to {}", human_bytes(estimate.master_bytes)));
    add("memory of a worker", human_bytes(estimate.worker_bytes));
    add("checkpoint", fmt::format("up to {}", human_bytes(estimate.checkpoint_bytes)));
    add("disk", fmt::format("up to {}", human_bytes(estimate.disk_bytes)));
    return text;
}

std::string reevaluation_table(MapDocument const& before, MapDocument const& after)
{
    auto const& old_map = before.state.map;
    auto const& new_map = after.state.map;
    auto const& rows = after.reevaluation.value().rows;
    auto const old_best = best_cell(old_map);
    auto const new_best = best_cell(new_map);
    expects(old_best && new_best, "a map with elites");
    auto const stay =
        std::ranges::count_if(rows, [](auto const& row) { return row.cell == row.stored_cell; });
    auto const lost = std::ranges::count(rows, false, &Reevaluation::Row::kept);
    double spread = 0;
    double change = 0;
    for (auto const& row : rows) {
        spread += row.fitness_std / static_cast<double>(rows.size());
        change += (row.fitness - row.stored_fitness) / static_cast<double>(rows.size());
    }
    auto const& conditions = after.reevaluation->conditions;
    std::string text;
    if (!conditions.empty()) {
        text += fmt::format(
            "conditions other than the run's: {}\nwhat is stored was measured under the run's\n",
            fmt::join(conditions, ", "));
    }
    auto const add = [&](std::string const& name, std::string const& old_value,
                         std::string const& new_value) {
        text += line("  " + name, 30, {old_value, new_value}, 14);
    };
    add("", "stored", conditions.empty() ? "corrected" : "re-evaluated");
    add("coverage (filled cells)", grouped(old_map.filled()), grouped(new_map.filled()));
    add("best fitness", short_number(old_map.find(*old_best)->fitness),
        short_number(new_map.find(*new_best)->fitness));
    add("best cell", fmt::format("{}", old_best->value()), fmt::format("{}", new_best->value()));
    add(fmt::format("QD score (offset {})", plain_number(after.qd_offset)),
        short_number(qd_score(old_map, before.qd_offset)),
        short_number(qd_score(new_map, after.qd_offset)));
    return text
           + fmt::format(
               "{} of {} elites stay in their cell; {} are replaced by a fitter elite\n"
               "fitness of an elite: mean change {}, mean standard deviation over episodes {}\n",
               stay, rows.size(), lost, short_number(change), short_number(spread));
}

std::string reference_table(std::filesystem::path const& file, Recording const& recording,
                            ReferenceCheck const& check)
{
    auto text =
        fmt::format("{}: {}, {} steps, recorded with MuJoCo {}\n", file.string(),
                    escaped(recording.domain), recording.steps, escaped(recording.engine_version));
    if (recording.engine_version != engine_version()) {
        text += fmt::format("  this build uses MuJoCo {}: only the same version is bit-identical\n",
                            engine_version());
    }
    text += fmt::format(
        "  {:<20} {:>16} {:>12}   exceeds {:g} at step\n", "largest deviation",
        fmt::format("first {} steps", std::min(ReferenceCheck::early_steps, recording.steps)),
        "all steps", ReferenceCheck::tolerance);
    text += model_lines(check);
    for (auto const& deviation : check.trajectory) {
        text += deviation_line(deviation);
    }
    text += check.passed() ? "  reproduced\n" : "  NOT reproduced\n";
    if (!check.passed() && recording.config.empty()) {
        text +=
            "  the file contains no configuration: the domain's defaults are used (no damage, the "
            "model's integrator)\n";
    }
    return text;
}

}  // namespace mees
