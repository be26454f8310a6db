#include "mees/report/recovery_table.hpp"

#include "mees/report/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace mees {
namespace {

constexpr double share_of_final = 0.9;

double gain_of(RecoveryResult const& result)
{
    return result.after.mean - result.before.mean;
}

double gain_of(DamageSummary const& summary)
{
    return summary.gain.mean;
}

/// Means over seeds or damages, with their standard errors.
template <class Row>
DamageSummary mean_over(std::span<Row const> rows, std::string const& damage)
{
    auto const score = [&](auto const& value) {
        std::vector<double> values;
        std::ranges::transform(rows, std::back_inserter(values), value);
        return score_of(values);
    };
    return {.damage = damage,
            .seeds = std::ssize(rows),
            .before = score([](Row const& row) { return row.before.mean; }),
            .after = score([](Row const& row) { return row.after.mean; }),
            .gain = score([](Row const& row) { return gain_of(row); }),
            .trials = {},
            .reached = 0,
            .answers = {},
            .unchanged = 0};
}

DamageSummary summarise_damage(std::vector<RecoveryResult> const& seeds)
{
    auto summary = mean_over(std::span{seeds}, escaped(seeds.front().damage));
    if (seeds.size() == 1) {
        summary.before = seeds.front().before;
        summary.after = seeds.front().after;
        // One controller has one score: its gain is exactly 0.
        bool const same = seeds.front().answer_cell == seeds.front().best_cell;
        summary.gain.standard_error =
            same ? 0 : std::hypot(summary.before.standard_error, summary.after.standard_error);
    }
    for (auto const& result : seeds) {
        if (std::ranges::find(summary.answers, result.answer_cell) == summary.answers.end()) {
            summary.answers.push_back(result.answer_cell);
        }
    }
    summary.unchanged = std::ranges::count_if(
        seeds, [](auto const& result) { return result.answer_cell == result.best_cell; });
    std::vector<double> trials;
    for (auto const& result : seeds) {
        if (auto const reached = trials_to_reach(result, share_of_final)) {
            trials.push_back(static_cast<double>(*reached));
        }
    }
    summary.reached = std::ssize(trials);
    if (!trials.empty()) {
        summary.trials = score_of(trials).mean;
    }
    return summary;
}

std::string cell(Score const& score)
{
    return fmt::format("{:.1f} +- {:.1f}", score.mean, score.standard_error);
}

std::string signed_cell(Score const& score)
{
    return fmt::format("{:+.1f} +- {:.1f}", score.mean, score.standard_error);
}

/// The cell that was chosen; in several seeds there may be several.
std::string answer_cell(DamageSummary const& summary)
{
    return summary.answers.size() == 1 ? fmt::format("{}", summary.answers.front().value())
                                       : fmt::format("{} cells", summary.answers.size());
}

std::string trials_cell(DamageSummary const& summary)
{
    if (!summary.trials) {
        return "-";
    }
    return summary.reached < summary.seeds
               ? fmt::format("{:.1f} ({}/{})", *summary.trials, summary.reached, summary.seeds)
               : fmt::format("{:.1f}", *summary.trials);
}

using Rows = std::vector<std::array<std::string, 6>>;

/// The rows in columns; names that leave too little room for the rest have a line of their own.
std::string aligned(Rows const& rows, Terminal const& terminal)
{
    std::array<std::size_t, 6> widths{};
    for (auto const& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], row[i].size());
        }
    }
    std::size_t others = 0;
    for (std::size_t i = 1; i < widths.size(); ++i) {
        others += widths[i] + 2;
    }
    if (terminal.interactive) {
        auto const columns = static_cast<std::size_t>(terminal.columns);
        auto const least = rows.front().front().size();
        widths[0] = std::min(widths[0], columns > others + least ? columns - others : least);
    }
    std::string text;
    for (auto const& row : rows) {
        bool const fits = row[0].size() <= widths[0];
        text += fits ? "" : row[0] + '\n';
        auto line = fmt::format("{:<{}}", fits ? row[0] : "", widths[0]);
        for (std::size_t i = 1; i < row.size(); ++i) {
            line += fmt::format("  {:>{}}", row[i], widths[i]);
        }
        text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
    }
    return text;
}

/// What the figures of the table mean that a reader could take for something else.
std::string notes(std::span<DamageSummary const> summaries)
{
    auto const any = [&](auto const& holds) { return std::ranges::any_of(summaries, holds); };
    bool const single = any([](auto const& summary) { return summary.seeds == 1; });
    bool const several = any([](auto const& summary) { return summary.seeds > 1; });
    auto text = fmt::format(
        "damaged, recovered: the old and the chosen controller in the damaged robot\n"
        "+-: standard error over {}{}{}\n",
        several ? "the seeds of a damage (repetitions on this one map)" : "",
        single && several ? " or,\n    for one seed, " : "",
        single ? "the episodes of a score" : "");
    if (summaries.size() > 1) {
        text +=
            fmt::format("+- of the mean: standard error over the {} damages\n", summaries.size());
    }
    if (any([](auto const& summary) {
            return summary.trials && summary.reached < summary.seeds;
        })) {
        text += "trials to 90 %: mean over the seeds that reached it (how many of how many)\n";
    }
    auto const lost = std::ranges::count_if(summaries, [](auto const& summary) {
        return summary.gain.mean < -2 * summary.gain.standard_error;
    });
    if (lost > 0) {
        text += fmt::format(
            "in {} damage{} the chosen controller is worse than the old one, by more than two\n"
            "standard errors: keep the old one there, or use more --trials\n",
            lost, lost == 1 ? "" : "s");
    }
    std::int64_t unchanged = 0;
    for (auto const& summary : summaries) {
        unchanged += summary.unchanged;
    }
    if (unchanged > 0) {
        text += fmt::format("in {} recover{} the old controller was chosen again: gain 0\n",
                            unchanged, unchanged == 1 ? "y" : "ies");
    }
    return text;
}

}  // namespace

std::vector<DamageSummary> summarise(std::span<RecoveryResult const> results)
{
    std::vector<std::vector<RecoveryResult>> damages;
    for (auto const& result : results) {
        auto const found = std::ranges::find_if(
            damages, [&](auto const& seeds) { return seeds.front().damage == result.damage; });
        if (found == damages.end()) {
            damages.push_back({result});
        } else {
            found->push_back(result);
        }
    }
    std::vector<DamageSummary> summaries;
    std::ranges::transform(damages, std::back_inserter(summaries), summarise_damage);
    return summaries;
}

std::string recovery_table(std::span<DamageSummary const> summaries, Terminal const& terminal)
{
    Rows rows{{"damage", "damaged", "recovered", "gain", "cell", "trials to 90 %"}};
    for (auto const& summary : summaries) {
        rows.push_back({summary.damage, cell(summary.before), cell(summary.after),
                        signed_cell(summary.gain), answer_cell(summary), trials_cell(summary)});
    }
    if (summaries.size() > 1) {
        auto const mean = mean_over(summaries, "mean");
        rows.push_back(
            {mean.damage, cell(mean.before), cell(mean.after), signed_cell(mean.gain), "", ""});
    }
    auto const text = aligned(rows, terminal);
    return summaries.empty() ? text : text + notes(summaries);
}

std::string recovery_csv(std::span<RecoveryResult const> results)
{
    std::string text =
        "damage,seed,pre,pre_se,post,post_se,gain,trials,trials_to_90,best_cell,answer_cell,"
        "episodes,steps\n";
    for (auto const& result : results) {
        auto const reached = trials_to_reach(result, share_of_final);
        text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(result.damage),
                            result.seed, result.before.mean, result.before.standard_error,
                            result.after.mean, result.after.standard_error,
                            result.after.mean - result.before.mean, result.trials.size(),
                            reached ? fmt::format("{}", *reached) : "", result.best_cell.value(),
                            result.answer_cell.value(), result.episodes, result.steps);
    }
    return text;
}

}  // namespace mees
