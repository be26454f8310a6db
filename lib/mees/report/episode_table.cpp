#include "mees/report/episode_table.hpp"

#include "mees/core/statistics.hpp"
#include "mees/report/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mees {
namespace {

constexpr std::size_t narrowest = 10;

std::string_view name_of(EpisodeEnd end)
{
    switch (end) {
        case EpisodeEnd::completed:
            return "completed";
        case EpisodeEnd::terminated:
            return "terminated";
        case EpisodeEnd::diverged:
            break;
    }
    return "diverged";
}

/// The numbers of an episode, in the order of the table's columns.
std::vector<double> numbers(ReplayedEpisode const& episode)
{
    std::vector<double> values{episode.outcome.fitness, static_cast<double>(episode.outcome.steps)};
    values.insert(values.end(), episode.bc.begin(), episode.bc.end());
    values.insert(values.end(), episode.terms.begin(), episode.terms.end());
    return values;
}

std::string row(std::string_view label, std::vector<double> const& values, std::string_view end,
                std::vector<std::size_t> const& widths)
{
    auto text = fmt::format("{:>8}", label);
    for (std::size_t i = 0; i < values.size(); ++i) {
        bool const count = i == 1 && values[i] == std::floor(values[i]);
        text += fmt::format("{:>{}}", count ? plain_number(values[i]) : short_number(values[i]),
                            widths[i] + 2);
    }
    return text + fmt::format("{}{}\n", end.empty() ? "" : "  ", end);
}

}  // namespace

std::string episode_table(std::span<ReplayedEpisode const> episodes, TaskSpec const& spec)
{
    std::vector<std::string> names{"fitness", "steps"};
    names.insert(names.end(), spec.bc_names.begin(), spec.bc_names.end());
    names.insert(names.end(), spec.reward_terms.begin(), spec.reward_terms.end());
    std::vector<std::size_t> widths;
    std::string text = " episode";
    for (auto& name : names) {
        name = escaped(name);
        widths.push_back(std::max(name.size(), narrowest));
        text += fmt::format("{:>{}}", name, widths.back() + 2);
    }
    text += "  end\n";
    std::vector<std::vector<double>> columns(names.size());
    for (std::size_t i = 0; i < episodes.size(); ++i) {
        auto const values = numbers(episodes[i]);
        for (std::size_t column = 0; column < values.size(); ++column) {
            columns[column].push_back(values[column]);
        }
        text += row(fmt::format("{}", i), values, name_of(episodes[i].outcome.end), widths);
    }
    std::vector<double> means;
    std::vector<double> deviations;
    for (auto const& column : columns) {
        means.push_back(mean_of(column));
        deviations.push_back(standard_deviation_of(column, means.back()));
    }
    return text + row("mean", means, "", widths) + row("std", deviations, "", widths);
}

}  // namespace mees
