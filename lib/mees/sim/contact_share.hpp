#pragma once

#include "mees/sim/mujoco.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace mees {

/// Counts, for each of some geoms, the control steps after which it touches the floor.
///
/// Touching means that the engine lists a contact of the two; several contacts of one geom count
/// once.
class ContactShare {
  public:
    ContactShare(int floor, std::vector<int> geoms);

    void restart();
    /// Looks at the contacts of a step just made.
    void add(mjData const& data);
    /// Touches over steps so far; 0 before the first.
    void shares(std::span<double> out) const;

  private:
    int floor_;
    std::vector<int> geoms_;
    std::vector<std::int64_t> last_touch_;  ///< the step a geom was last seen down, counted from 1
    std::vector<std::int64_t> touches_;
    std::int64_t steps_{0};
};

}  // namespace mees
