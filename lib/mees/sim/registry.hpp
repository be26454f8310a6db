#pragma once

#include "mees/sim/task.hpp"

namespace mees {

using DomainPtr = std::shared_ptr<Domain const>;

// One per file of tasks/.
[[nodiscard]] DomainPtr make_ant(DomainSettings const& settings);
[[nodiscard]] DomainPtr make_ant_maze(DomainSettings const& settings);
[[nodiscard]] DomainPtr make_deceptive_humanoid(DomainSettings const& settings);
[[nodiscard]] DomainPtr make_mjcf(DomainSettings const& settings);
[[nodiscard]] DomainPtr make_point_maze(DomainSettings const& settings);
[[nodiscard]] DomainPtr make_sleep(DomainSettings const& settings);

}  // namespace mees
