#pragma once

#include "mees/adaptation/recovery.hpp"
#include "mees/evaluation/evaluator.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace mees {

/// The repetitions of one damage that have no result yet.
struct DamageJob {
    std::string damage;
    std::int32_t variant{0};
    std::vector<std::int64_t> seeds;
};

/// Called with the results of a damage, by seed, when all are known.
using DamageDone = std::function<void(std::vector<RecoveryResult> const&)>;

/// Recovers from all damages, several at once: each round is one batch with the next trial (or the
/// scores) of every active recovery. Damages start in the order given, as many at once as keep
/// `workers` busy; their number does not affect results. `seed` names the random streams.
///
/// False if a stop was requested: unfinished damages are lost.
[[nodiscard]] bool recover(RecoveryMap const& map, RecoverySettings const& settings,
                           std::span<DamageJob const> jobs, std::uint64_t seed,
                           Evaluator& evaluator, std::int64_t workers, StopToken& stop,
                           DamageDone const& done);

}  // namespace mees
