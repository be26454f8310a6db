#pragma once

#include "mees/sim/recording/recording.hpp"
#include "mees/sim/task.hpp"

#include <cstdint>
#include <span>

namespace mees {

/// Records an episode as a reference trajectory.
class TrajectoryRecorder {
  public:
    /// `task` is in its initial state.
    TrajectoryRecorder(TaskSpec const& spec, PhysicsTask const& task, std::int64_t seed);

    /// `task` has just done `action`.
    void add(PhysicsTask const& task, std::span<double const> action);

    [[nodiscard]] Recording const& recording() const { return recording_; }

  private:
    Recording recording_;
    std::vector<double> observation_;
    std::vector<double> bc_;
};

}  // namespace mees
