#include "mees/evaluation/lost_episode.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

namespace mees {
namespace {

constexpr std::size_t most_named = 20;

std::string join(std::span<std::int64_t const> episodes)
{
    auto const named = episodes.first(std::min(episodes.size(), most_named));
    auto const others = episodes.size() - named.size();
    return fmt::format("{}{}", fmt::join(named, ", "),
                       others == 0 ? "" : fmt::format(" and {} others", others));
}

char const* before(std::size_t count)
{
    return count == 1 ? "episode" : "one of the episodes";
}

}  // namespace

std::string name_episodes(std::span<std::int64_t const> episodes)
{
    return fmt::format("{} {}", before(episodes.size()), join(episodes));
}

std::string name_episodes(std::span<LostEpisode const> episodes)
{
    std::map<std::int64_t, std::vector<std::int64_t>> by_generation;
    for (auto const& episode : episodes) {
        by_generation[episode.generation.value()].push_back(episode.index);
    }
    std::vector<std::string> parts;
    for (auto const& [generation, indices] : by_generation) {
        parts.push_back(fmt::format("{} of generation {}", join(indices), generation));
    }
    return fmt::format("{} {}", before(episodes.size()), fmt::join(parts, " and "));
}

}  // namespace mees
