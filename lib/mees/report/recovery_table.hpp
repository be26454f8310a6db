#pragma once

#include "mees/adaptation/recovery.hpp"
#include "mees/report/terminal.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mees {

/// The results of a damage over its seeds. The errors are standard errors over the seeds, or over
/// the episodes of the scores if there is one seed only.
struct DamageSummary {
    std::string damage;  ///< control characters escaped
    std::int64_t seeds{0};
    Score before;
    Score after;
    Score gain;
    /// Mean trials to 90 % of the final score, over the seeds in which a trial reached it.
    std::optional<double> trials;
    std::int64_t reached{0};      ///< how many these are
    std::vector<CellId> answers;  ///< the cells that were chosen, each once
    std::int64_t unchanged{
        0};  ///< seeds whose answer is the best controller from before the damage
};

/// One per damage, in order of first appearance.
[[nodiscard]] std::vector<DamageSummary> summarise(std::span<RecoveryResult const> results);

/// A line per damage, the mean over damages if there are several, and what the errors are over. In
/// a terminal that is too narrow, damages with long names take two lines.
[[nodiscard]] std::string recovery_table(std::span<DamageSummary const> summaries,
                                         Terminal const& terminal = {});

/// A header line, then a line per result.
[[nodiscard]] std::string recovery_csv(std::span<RecoveryResult const> results);

}  // namespace mees
