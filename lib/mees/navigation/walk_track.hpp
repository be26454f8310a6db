#pragma once

#include "mees/navigation/navigation_domain.hpp"

#include <cstdint>
#include <vector>

namespace mees {

/// A walk, control step by control step.
struct WalkTrack {
    struct Row {
        std::int64_t action{-1};  ///< number of the action; -1: the rest before the first
        std::int64_t target{0};   ///< where that leads
        GroundPose pose;          ///< in the arena, after the control step
    };
    std::vector<Row> rows;
    std::vector<double> qpos;  ///< of the model in the arena, one row of nq numbers for each
};

/// Makes a walk again: the one that an evaluator makes with that stream.
[[nodiscard]] WalkTrack track_walk(NavigationDomain const& domain, Stream const& stream);

}  // namespace mees
