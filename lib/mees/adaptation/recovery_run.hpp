#pragma once

#include "mees/adaptation/recovery.hpp"
#include "mees/evaluation/evaluator.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace mees {

/// The repetitions of one damage that are still to be made.
struct DamageJob {
    std::string damage;
    std::int32_t variant{0};
    std::vector<std::int64_t> seeds;
};

/// Given the results of a damage by seed, once all of them are there.
using DamageDone = std::function<void(std::vector<RecoveryResult> const&)>;

/// Recovers from all damages, several side by side: each round is one batch with the next trial (or
/// the scores) of every recovery under way. Damages join in the order given, as many as keep
/// `workers` busy; how many that are changes no result. `seed` names the random streams.
///
/// False if a stop was requested: damages that are not done then are lost.
[[nodiscard]] bool recover(RecoveryMap const& map, RecoverySettings const& settings,
                           std::span<DamageJob const> jobs, std::uint64_t seed,
                           Evaluator& evaluator, std::int64_t workers, StopToken& stop,
                           DamageDone const& done);

}  // namespace mees
