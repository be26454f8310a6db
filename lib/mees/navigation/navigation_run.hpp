#pragma once

#include "mees/core/ids.hpp"
#include "mees/evaluation/evaluator.hpp"
#include "mees/navigation/navigation_domain.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace mees {

/// A walk to make: a damage, identified by its text, and a repetition.
struct NavigationJob {
    std::string damage;
    std::int64_t seed{0};
    std::int32_t variant{0};  ///< the evaluator's NavigationDomain with this damage
};

/// The result of one target.
struct TargetResult {
    std::int64_t actions{0};
    bool reached{false};
    std::int64_t collisions{0};
    friend bool operator==(TargetResult const&, TargetResult const&) = default;
};

/// The result of one walk.
struct NavigationResult {
    std::string damage;
    std::int64_t seed{0};
    bool learning{true};
    std::vector<TargetResult> targets;
    std::vector<NavigationStep> steps;
    friend bool operator==(NavigationResult const&, NavigationResult const&) = default;
};

/// Results of the targets from the actions that were made.
[[nodiscard]] std::vector<TargetResult> results_of(std::vector<NavigationStep> const& steps,
                                                   Course const& course);

/// Actions per target, where a target that was not reached counts as `max_actions`.
[[nodiscard]] double mean_actions(NavigationResult const& result, std::int64_t max_actions);

/// The stream of a walk's random numbers: depends on the damage's text and the seed only, so that
/// walks with and without learning start alike.
[[nodiscard]] Stream stream_of(NavigationJob const& job, std::uint64_t seed);

/// Makes all walks, a few per worker at once; `done` is called with the results of each round, in
/// the order of the jobs. `seed` is the map's. False if a stop was requested: the walks of that
/// round are lost.
[[nodiscard]] bool navigate(std::span<NavigationJob const> jobs, Course const& course,
                            NavigationSettings const& settings, std::uint64_t seed,
                            Evaluator& evaluator, StopToken& stop,
                            std::function<void(std::vector<NavigationResult> const&)> const& done);

/// The network of the episodes' controllers, which have no effect.
[[nodiscard]] NetworkShape navigation_network();

}  // namespace mees
