#pragma once

#include "mees/sim/task.hpp"

#include <string>
#include <vector>

namespace mees {

/// What a user should know of the domain before training in it. Of an environment in another
/// process also whether its numbers are the same twice, as far as a short look can tell.
[[nodiscard]] std::vector<std::string> notes_on(Domain const& domain,
                                                DomainSettings const& settings);

}  // namespace mees
