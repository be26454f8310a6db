#include "mees/report/recovery_table.hpp"

#include "mees/report/format.hpp"

#include <fmt/format.h>

#include <algorithm>
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

std::string trials_cell(DamageSummary const& summary)
{
    if (!summary.trials) {
        return "-";
    }
    return summary.reached < summary.seeds
               ? fmt::format("{:.1f} ({}/{})", *summary.trials, summary.reached, summary.seeds)
               : fmt::format("{:.1f}", *summary.trials);
}

/// What the figures of the table mean that a reader could take for something else.
std::string notes(std::span<DamageSummary const> summaries)
{
    auto const any = [&](auto const& holds) { return std::ranges::any_of(summaries, holds); };
    bool const single = any([](auto const& summary) { return summary.seeds == 1; });
    bool const several = any([](auto const& summary) { return summary.seeds > 1; });
    auto text = fmt::format(
        "+-: standard error over {}{}{}{}\n",
        several ? "the seeds of a damage (repetitions on this one map)" : "",
        single && several ? ", or, for one seed, " : "", single ? "the episodes of a score" : "",
        summaries.size() > 1 ? fmt::format("; of the mean, over the {} damages", summaries.size())
                             : "");
    if (any([](auto const& summary) {
            return summary.trials && summary.reached < summary.seeds;
        })) {
        text += "trials to 90 %: mean over the seeds that reached it (how many of how many)\n";
    }
    std::int64_t unchanged = 0;
    for (auto const& summary : summaries) {
        unchanged += summary.unchanged;
    }
    if (unchanged > 0) {
        text += fmt::format(
            "in {} recover{} the answer is the best controller from before the "
            "damage: gain 0\n",
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

std::string recovery_table(std::span<DamageSummary const> summaries)
{
    std::size_t width = std::string_view{"damage"}.size();
    for (auto const& summary : summaries) {
        width = std::max(width, summary.damage.size());
    }
    constexpr auto row = "{:>20}{:>20}{:>20}{:>16}";
    auto text =
        line("damage", width, fmt::format(row, "before", "after", "gain", "trials to 90 %"));
    for (auto const& summary : summaries) {
        text += line(summary.damage, width,
                     fmt::format(row, cell(summary.before), cell(summary.after),
                                 signed_cell(summary.gain), trials_cell(summary)));
    }
    if (summaries.size() > 1) {
        auto const mean = mean_over(summaries, "mean");
        text += line(mean.damage, width,
                     {cell(mean.before), cell(mean.after), signed_cell(mean.gain)}, 20);
    }
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
