#include "mees/report/navigation_table.hpp"

#include "mees/adaptation/recovery.hpp"
#include "mees/report/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace mees {
namespace {

using NavigationRow = std::array<std::string, 5>;

/// Walks of one damage, with or without learning.
struct WalkGroup {
    std::vector<double> actions;
    std::int64_t reached{0};
    std::int64_t targets{0};
};

WalkGroup walks_of(std::span<NavigationResult const> results, std::string const& damage,
                   bool learning, std::int64_t max_actions)
{
    WalkGroup group;
    for (auto const& result : results) {
        if (result.damage == damage && result.learning == learning) {
            group.actions.push_back(mean_actions(result, max_actions));
            group.reached += std::ranges::count_if(result.targets, &TargetResult::reached);
            group.targets += std::ssize(result.targets);
        }
    }
    return group;
}

std::string actions_text(WalkGroup const& group)
{
    if (group.actions.empty()) {
        return "-";
    }
    auto const score = score_of(group.actions);
    return fmt::format("{:.1f} +- {:.1f}", score.mean, score.standard_error);
}

std::string reached_text(WalkGroup const& group)
{
    return group.actions.empty() ? "-" : fmt::format("{}/{}", group.reached, group.targets);
}

}  // namespace

std::string navigation_table(std::span<NavigationResult const> results, std::int64_t max_actions)
{
    std::vector<NavigationRow> rows{{"damage", "learning", "reached", "no learning", "reached"}};
    std::vector<std::string> damages;
    for (auto const& result : results) {
        if (std::ranges::find(damages, result.damage) == damages.end()) {
            damages.push_back(result.damage);
        }
    }
    for (auto const& damage : damages) {
        auto const with = walks_of(results, damage, true, max_actions);
        auto const without = walks_of(results, damage, false, max_actions);
        rows.push_back({escaped(damage), actions_text(with), reached_text(with),
                        actions_text(without), reached_text(without)});
    }
    std::array<std::size_t, 5> widths{};
    for (auto const& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], row[i].size());
        }
    }
    std::string text;
    for (auto const& row : rows) {
        text += fmt::format("{:<{}}", row[0], widths[0]);
        for (std::size_t i = 1; i < row.size(); ++i) {
            text += fmt::format("  {:>{}}", row[i], widths[i]);
        }
        text += '\n';
    }
    return text
           + fmt::format(
               "learning, no learning: actions per target, mean over walks +- standard "
               "error;\na target that was not reached counts as {}\n",
               max_actions);
}

std::string navigation_csv(std::span<NavigationResult const> results)
{
    std::string text = "damage,seed,learning,target,actions,reached,collisions\n";
    for (auto const& result : results) {
        for (std::size_t i = 0; i < result.targets.size(); ++i) {
            auto const& target = result.targets[i];
            text += fmt::format("{},{},{},{},{},{},{}\n", csv_field(result.damage), result.seed,
                                result.learning ? 1 : 0, i, target.actions, target.reached ? 1 : 0,
                                target.collisions);
        }
    }
    return text;
}

}  // namespace mees
