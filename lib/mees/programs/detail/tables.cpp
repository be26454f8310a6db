#include "mees/programs/detail/tables.hpp"

#include "mees/core/error.hpp"
#include "mees/core/statistics.hpp"
#include "mees/report/format.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

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

/// "-4.4 +- 0.8"; without the error if it is not known.
std::string with_error(double value, std::optional<double> error)
{
    return error ? fmt::format("{} +- {}", short_number(value), short_number(*error))
                 : short_number(value);
}

/// What was measured again without having been chosen by it, and how far elites can be relied on.
std::string reevaluation_notes(Reevaluation const& reevaluation, CellId old_best,
                               std::vector<std::string> const& bc_names)
{
    auto const& rows = reevaluation.rows;
    auto const mean = [&](auto const& value) {
        std::vector<double> values;
        std::ranges::transform(rows, std::back_inserter(values), value);
        return mean_of(values);
    };
    std::vector<double> changes;
    std::vector<double> bc_spread;
    std::ranges::transform(rows, std::back_inserter(changes),
                           [](auto const& row) { return row.fitness - row.stored_fitness; });
    for (std::size_t axis = 0; axis < rows.front().bc_std.size(); ++axis) {
        bc_spread.push_back(mean([axis](auto const& row) { return row.bc_std[axis]; }));
    }
    double const change = mean_of(changes);
    auto const& sample = reevaluation.independent ? changes : reevaluation.episode_fitness;
    bool const known = sample.size() > 1;
    auto const best = std::ranges::find(rows, old_best, &Reevaluation::Row::stored_cell);
    bool const repeated = reevaluation.episodes > 1;
    auto const of_best =
        repeated ? std::optional{best->fitness_std
                                 / std::sqrt(static_cast<double>(reevaluation.episodes))}
                 : std::nullopt;
    auto text = fmt::format(
        "the stored best (cell {}) measured again: {}\n"
        "the corrected best is of the same episodes that chose it: too high on average\n"
        "{} of {} elites stay in their cell; {} are replaced by a fitter elite\n"
        "fitness of an elite: mean change {}",
        old_best.value(), with_error(best->fitness, of_best),
        std::ranges::count_if(rows, [](auto const& row) { return row.cell == row.stored_cell; }),
        rows.size(), std::ranges::count(rows, false, &Reevaluation::Row::kept),
        with_error(change, known ? std::optional{standard_error_of(sample, mean_of(sample))}
                                 : std::nullopt));
    if (repeated) {
        auto const spread = fmt::format(
            "fitness {}, {}", short_number(mean([](auto const& row) { return row.fitness_std; })),
            describe_behaviour(bc_spread, bc_names));
        text += fmt::format("\nstandard deviation over episodes, mean over elites:\n  {}",
                            broken(spread, 78, 2));
    }
    return text
           + fmt::format("\n+-: standard error over the {} episodes{}\n", reevaluation.episodes,
                         reevaluation.independent ? ", of the mean change over the elites"
                                                  : ", which are the same for all elites");
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
    auto const range = [](std::int64_t least, std::int64_t most) {
        return least == most ? fmt::format("{}", least)
                             : fmt::format("at least {}, at most {}", least, most);
    };
    add("episodes per generation",
        range(estimate.episodes_per_generation, estimate.most_episodes_per_generation));
    add("total episodes", range(estimate.episodes, estimate.most_episodes));
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
    auto const old_best = best_cell(old_map);
    auto const new_best = best_cell(new_map);
    expects(old_best && new_best, "a map with elites");
    auto const& conditions = after.reevaluation.value().conditions;
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
    return text + reevaluation_notes(after.reevaluation.value(), *old_best, after.bc_names);
}

std::string variants_table(Reevaluation const& reevaluation)
{
    if (!reevaluation.variants) {
        return {};
    }
    using Row = Reevaluation::Row;
    Row const* robust = nullptr;
    Row const* fittest = nullptr;
    auto const of = [](Row const& row) { return summarise_variants(row.variant_fitness); };
    for (auto const& row : reevaluation.rows) {
        if (row.kept) {
            robust = !robust || of(row).robust > of(*robust).robust ? &row : robust;
            fittest = !fittest || row.fitness > fittest->fitness ? &row : fittest;
        }
    }
    expects(robust && fittest, "an elite is kept");
    auto text = fmt::format("{} variants of the model, {} per elite and variant:\n  {}\n",
                            reevaluation.variants->variants.size(),
                            reevaluation.variants->episodes == 1
                                ? std::string{"1 episode"}
                                : fmt::format("{} episodes", reevaluation.variants->episodes),
                            escaped(reevaluation.variants->text));
    auto const add = [&](std::string const& name, auto const& value) {
        text += line("  " + name, 30, {value(*robust), value(*fittest)}, 14);
    };
    auto const number = [&](double VariantSummary::*member) {
        return [&of, member](Row const& row) { return short_number(of(row).*member); };
    };
    text += line("", 30, {"most robust", "fittest"}, 14);
    add("cell", [](Row const& row) { return fmt::format("{}", row.cell.value()); });
    add("fitness as it is", [](Row const& row) { return short_number(row.fitness); });
    add("mean over variants", number(&VariantSummary::mean));
    add("5 % quantile (robust)", number(&VariantSummary::robust));
    add("worst variant", number(&VariantSummary::worst));
    return text;
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
