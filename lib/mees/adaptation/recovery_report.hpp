#pragma once

#include "mees/adaptation/recovery.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mees {

/// A damage's results over its seeds. With several seeds the errors are standard errors over them,
/// with one over the episodes of its scores.
struct DamageSummary {
    std::string damage;
    std::int64_t seeds{0};
    Score before;
    Score after;
    Score gain;
    /// Mean trials to 90 % of the final score, over the seeds in which a trial reached it.
    std::optional<double> trials;
};

/// One per damage, in order of first appearance.
[[nodiscard]] std::vector<DamageSummary> summarise(std::span<RecoveryResult const> results);

/// For the terminal: a line per damage, and the mean over them if there are several.
[[nodiscard]] std::string recovery_table(std::span<DamageSummary const> summaries);

/// A header line, then a line per result.
[[nodiscard]] std::string recovery_csv(std::span<RecoveryResult const> results);

}  // namespace mees
