#pragma once

#include "mees/adaptation/map_optimiser.hpp"
#include "mees/evaluation/batch.hpp"
#include "mees/evaluation/result.hpp"
#include "mees/policy/controller.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mees {

/// Defaults are those of the paper's run.
struct RecoverySettings {
    MapOptimiserSettings optimiser;
    std::int64_t episodes_per_trial{2};
    std::int64_t score_episodes{30};  ///< each for the answer and the best pre-damage controller
};

/// Mean fitness over episodes, and its standard error (0 for a single episode).
struct Score {
    double mean{0};
    double standard_error{0};

    friend bool operator==(Score const&, Score const&) = default;
};

[[nodiscard]] Score score_of(std::span<double const> fitness);

/// The generation of a damage's random streams: depends on its text only, not on its position in a
/// list.
[[nodiscard]] Generation stream_generation(std::string_view damage);

/// One recovery: a damage, identified by its text, and a repetition.
struct RecoveryCase {
    std::string damage;
    std::int64_t seed{1};
    std::int32_t variant{0};  ///< the evaluator's domain with this damage
};

/// The result of one recovery.
struct RecoveryResult {
    std::string damage;
    std::int64_t seed{1};
    CellId best_cell;    ///< the best cell before the damage
    CellId answer_cell;  ///< the cell that was chosen
    /// The best pre-damage controller in the damaged robot, and the chosen one. If the choice is
    /// that controller, both are its score over all episodes: the gain is 0 by construction.
    Score before;
    Score after;
    std::int64_t episodes{0};  ///< of trials and scores
    std::int64_t steps{0};
    std::vector<MapTrial> trials;

    friend bool operator==(RecoveryResult const&, RecoveryResult const&) = default;
};

/// The number of trials until one reached `share` of the final score (of a negative score: until
/// one was as close to it as `share` of a positive score of that size would be); empty if none did.
[[nodiscard]] std::optional<std::int64_t> trials_to_reach(RecoveryResult const& result,
                                                          double share);

/// The map, shared by all recoveries.
struct RecoveryMap {
    std::shared_ptr<MapPrior const> prior;
    CellId best_cell;
    std::function<ControllerPtr(CellId)> controller;  ///< of a filled cell
};

/// A recovery from one damage: trials one after another, then the two scores.
///
/// Ask for groups of episodes, tell their outcomes. Random draws depend on the damage and the seed
/// only, so recoveries can run in any order, at once or one by one.
class Recovery {
  public:
    Recovery(RecoveryMap map, RecoverySettings const& settings, RecoveryCase which);

    [[nodiscard]] bool finished() const { return scored_; }
    [[nodiscard]] std::vector<Group> ask() const;
    /// `outcomes` are those of every episode of the groups asked for, in order.
    void tell(std::span<EpisodeOutcome const> outcomes);
    [[nodiscard]] RecoveryResult const& result() const { return result_; }

  private:
    [[nodiscard]] Group group(CellId cell, EpisodeKind kind, std::int64_t first,
                              std::int64_t repeats) const;

    RecoveryMap map_;
    RecoverySettings settings_;
    RecoveryCase case_;
    MapOptimiser optimiser_;
    bool scored_{false};
    RecoveryResult result_;
};

}  // namespace mees
