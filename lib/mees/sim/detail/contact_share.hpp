#pragma once

#include "mees/sim/mujoco.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace mees {

/// Counts, for each of several geoms, the control steps after which it touches the floor.
///
/// A geom touches the floor if the engine lists a contact of the two; several contacts count once.
class ContactShare {
  public:
    ContactShare(int floor, std::vector<int> geoms);

    void restart();
    /// Adds the contacts of the latest step.
    void add(mjData const& data);
    /// Touches divided by steps so far; 0 before the first step.
    void shares(std::span<double> out) const;

  private:
    int floor_;
    std::vector<int> geoms_;
    std::vector<std::int64_t> last_touch_;  ///< the last step with contact, counted from 1
    std::vector<std::int64_t> touches_;
    std::int64_t steps_{0};
};

}  // namespace mees
