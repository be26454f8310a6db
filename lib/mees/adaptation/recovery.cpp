#include "mees/adaptation/recovery.hpp"

#include "mees/core/error.hpp"
#include "mees/core/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace mees {
namespace {

/// Each seed of a damage has its own range of streams, of this size.
constexpr std::int64_t streams_per_seed = std::int64_t{1} << 20;

}  // namespace

/// FNV-1a.
Generation stream_generation(std::string_view damage)
{
    std::uint32_t hash = 2166136261U;
    for (char const letter : damage) {
        hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619U;
    }
    return Generation{hash};
}

Score score_of(std::span<double const> fitness)
{
    expects(!fitness.empty(), "a score is of at least one episode");
    double const mean = mean_of(fitness);
    return {mean, standard_error_of(fitness, mean)};
}

std::optional<std::int64_t> trials_to_reach(RecoveryResult const& result, double share)
{
    double const goal = result.after.mean - (1 - share) * std::abs(result.after.mean);
    auto const found = std::ranges::find_if(
        result.trials, [&](auto const& trial) { return trial.fitness >= goal; });
    if (found == result.trials.end()) {
        return std::nullopt;
    }
    return found - result.trials.begin() + 1;
}

Recovery::Recovery(RecoveryMap map, RecoverySettings const& settings, RecoveryCase which)
    : map_{std::move(map)},
      settings_{settings},
      case_{std::move(which)},
      optimiser_{map_.prior, settings.optimiser}
{
    expects(settings.episodes_per_trial > 0 && settings.score_episodes > 0,
            "trials and scores have at least one episode");
    expects(settings.optimiser.trials * settings.episodes_per_trial <= streams_per_seed
                && 2 * settings.score_episodes <= streams_per_seed,
            "a recovery has at most 2^20 episodes");
    result_.damage = case_.damage;
    result_.seed = case_.seed;
    result_.best_cell = map_.best_cell;
}

Group Recovery::group(CellId cell, EpisodeKind kind, std::int64_t first, std::int64_t repeats) const
{
    Group group;
    group.centre = map_.controller(cell);
    group.generation = stream_generation(case_.damage);
    group.kind = kind;
    group.variant = case_.variant;
    group.first_stream = case_.seed * streams_per_seed + first;
    group.repeats = static_cast<std::int32_t>(repeats);
    return group;
}

std::vector<Group> Recovery::ask() const
{
    expects(!finished(), "the recovery is not finished");
    if (!optimiser_.finished()) {
        auto const episodes = settings_.episodes_per_trial;
        return {group(optimiser_.ask(), EpisodeKind::trial,
                      std::ssize(optimiser_.trials()) * episodes, episodes)};
    }
    auto const episodes = settings_.score_episodes;
    return {group(result_.best_cell, EpisodeKind::score, 0, episodes),
            group(optimiser_.answer(), EpisodeKind::score, episodes, episodes)};
}

void Recovery::tell(std::span<EpisodeOutcome const> outcomes)
{
    expects(!finished(), "the recovery is not finished");
    std::vector<double> fitness;
    for (auto const& outcome : outcomes) {
        fitness.push_back(outcome.fitness);
        result_.steps += outcome.steps;
    }
    result_.episodes += std::ssize(outcomes);

    if (!optimiser_.finished()) {
        expects(std::ssize(fitness) == settings_.episodes_per_trial,
                "outcomes are those of one trial");
        optimiser_.tell(mean_of(fitness));
        return;
    }
    auto const episodes = static_cast<std::size_t>(settings_.score_episodes);
    expects(fitness.size() == 2 * episodes, "outcomes are those of both scores");
    result_.answer_cell = optimiser_.answer();
    bool const same = result_.answer_cell == result_.best_cell;
    result_.before = score_of(same ? std::span{fitness} : std::span{fitness}.first(episodes));
    result_.after = score_of(same ? std::span{fitness} : std::span{fitness}.last(episodes));
    result_.trials = optimiser_.trials();
    scored_ = true;
}

}  // namespace mees
