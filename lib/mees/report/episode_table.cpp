#include "mees/report/episode_table.hpp"

#include "mees/core/statistics.hpp"
#include "mees/report/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mees {
namespace {

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

enum class Align { right, left };

/// A column: a value per episode, then mean and standard deviation, as text.
struct Column {
    std::string name;
    std::vector<std::string> texts;
    Align align{Align::right};

    [[nodiscard]] std::size_t width() const
    {
        return std::max(name.size(), std::ranges::max(texts, {}, &std::string::size).size());
    }
};

Column numbers(std::string name, std::vector<double> values, bool counts = false)
{
    auto const mean = mean_of(values);
    auto const deviation = standard_deviation_of(values, mean);
    if (counts) {
        Column column{.name = std::move(name), .texts = {}};
        for (double const value : values) {
            column.texts.push_back(plain_number(value));
        }
        column.texts.push_back(short_number(mean));
        column.texts.push_back(short_number(deviation));
        return column;
    }
    values.push_back(mean);
    values.push_back(deviation);
    return {.name = std::move(name), .texts = aligned_numbers(values)};
}

/// A column per entry of `member`, such as the BC, of the episodes.
std::vector<Column> columns_of(std::span<ReplayedEpisode const> episodes,
                               std::vector<std::string> const& names,
                               std::vector<double> ReplayedEpisode::*member)
{
    std::vector<Column> columns;
    for (std::size_t i = 0; i < names.size(); ++i) {
        std::vector<double> values;
        for (auto const& episode : episodes) {
            values.push_back((episode.*member)[i]);
        }
        columns.push_back(numbers(escaped(names[i]), std::move(values)));
    }
    return columns;
}

std::size_t width_of(std::vector<Column> const& columns)
{
    std::size_t width = 0;
    for (auto const& column : columns) {
        width += column.width() + 2;
    }
    return width;
}

std::string table_of(std::vector<Column> const& columns)
{
    std::string text;
    auto const add = [&](auto const& text_of) {
        std::string line;
        for (auto const& column : columns) {
            std::string_view const gap = line.empty() ? "" : "  ";
            line += column.align == Align::left
                        ? fmt::format("{}{:<{}}", gap, text_of(column), column.width())
                        : fmt::format("{}{:>{}}", gap, text_of(column), column.width());
        }
        text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
    };
    add([](Column const& column) { return column.name; });
    for (std::size_t row = 0; row < columns.front().texts.size(); ++row) {
        add([&](Column const& column) { return column.texts[row]; });
    }
    return text;
}

Column labels(std::size_t episodes)
{
    Column column{.name = " episode", .texts = {}};
    for (std::size_t i = 0; i < episodes; ++i) {
        column.texts.push_back(fmt::format("{}", i));
    }
    column.texts.insert(column.texts.end(), {"mean", "std"});
    return column;
}

}  // namespace

std::string episode_table(std::span<ReplayedEpisode const> episodes, TaskSpec const& spec,
                          Terminal const& terminal)
{
    std::vector<double> fitness;
    std::vector<double> steps;
    Column ends{"end", {}, Align::left};
    for (auto const& episode : episodes) {
        fitness.push_back(episode.outcome.fitness);
        steps.push_back(static_cast<double>(episode.outcome.steps));
        ends.texts.emplace_back(name_of(episode.outcome.end));
    }
    ends.texts.insert(ends.texts.end(), {"", ""});
    bool const named = !terminal.interactive;
    std::vector<Column> columns{labels(episodes.size()), numbers("fitness", fitness),
                                numbers("steps", steps, true)};
    auto const behaviour = columns_of(episodes, named ? spec.bc_names : short_names(spec.bc_names),
                                      &ReplayedEpisode::bc);
    auto const terms = columns_of(episodes, spec.reward_terms, &ReplayedEpisode::terms);
    columns.insert(columns.end(), behaviour.begin(), behaviour.end());
    auto complete = columns;
    complete.insert(complete.end(), terms.begin(), terms.end());
    complete.push_back(ends);
    if (named || width_of(complete) <= static_cast<std::size_t>(terminal.columns)) {
        return table_of(complete);
    }
    columns.push_back(ends);
    std::vector<Column> rewards{labels(episodes.size())};
    rewards.insert(rewards.end(), terms.begin(), terms.end());
    return fmt::format("{}reward terms:\n{}", table_of(columns), table_of(rewards));
}

}  // namespace mees
