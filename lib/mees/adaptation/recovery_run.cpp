#include "mees/adaptation/recovery_run.hpp"

#include <algorithm>
#include <iterator>
#include <list>
#include <utility>

namespace mees {
namespace {

/// A round ends with its slowest episode: with this many per worker, waiting for it costs little.
constexpr std::int64_t episodes_per_worker = 4;

/// All seeds of one damage.
using DamageRecovery = std::vector<Recovery>;

DamageRecovery begin(RecoveryMap const& map, RecoverySettings const& settings, DamageJob const& job)
{
    DamageRecovery recoveries;
    for (auto const seed : job.seeds) {
        recoveries.emplace_back(map, settings, RecoveryCase{job.damage, seed, job.variant});
    }
    return recoveries;
}

/// The episodes of one recovery in a round.
struct Share {
    Recovery* recovery;
    std::size_t episodes;
};

struct Round {
    Batch batch;
    std::vector<Share> shares;

    void add(Recovery& recovery)
    {
        std::size_t episodes = 0;
        for (auto& group : recovery.ask()) {
            episodes += static_cast<std::size_t>(group.episodes());
            batch.groups.push_back(std::move(group));
        }
        shares.push_back({&recovery, episodes});
    }

    void tell(std::span<EpisodeOutcome const> outcomes) const
    {
        for (auto const& share : shares) {
            share.recovery->tell(outcomes.first(share.episodes));
            outcomes = outcomes.subspan(share.episodes);
        }
    }
};

Round next_round(std::list<DamageRecovery>& active, std::uint64_t seed)
{
    Round round{.batch = {.seed = seed, .groups = {}}, .shares = {}};
    for (auto& damage : active) {
        for (auto& recovery : damage) {
            if (!recovery.finished()) {
                round.add(recovery);
            }
        }
    }
    return round;
}

std::int64_t trial_episodes(std::list<DamageRecovery> const& active,
                            RecoverySettings const& settings)
{
    std::int64_t recoveries = 0;
    for (auto const& damage : active) {
        recoveries += std::ssize(damage);
    }
    return recoveries * settings.episodes_per_trial;
}

void hand_over_finished(std::list<DamageRecovery>& active, DamageDone const& done)
{
    std::erase_if(active, [&](DamageRecovery const& damage) {
        if (!std::ranges::all_of(damage, &Recovery::finished)) {
            return false;
        }
        std::vector<RecoveryResult> results;
        std::ranges::transform(damage, std::back_inserter(results), &Recovery::result);
        done(results);
        return true;
    });
}

}  // namespace

bool recover(RecoveryMap const& map, RecoverySettings const& settings,
             std::span<DamageJob const> jobs, std::uint64_t seed, Evaluator& evaluator,
             std::int64_t workers, StopToken& stop, DamageDone const& done)
{
    std::list<DamageRecovery> active;
    while (!jobs.empty() || !active.empty()) {
        while (!jobs.empty() && trial_episodes(active, settings) < episodes_per_worker * workers) {
            active.push_back(begin(map, settings, jobs.front()));
            jobs = jobs.subspan(1);
        }
        auto const round = next_round(active, seed);
        auto const result = evaluator.evaluate(round.batch, stop);
        if (!result) {
            return false;
        }
        round.tell(result->outcomes);
        hand_over_finished(active, done);
    }
    return true;
}

}  // namespace mees
