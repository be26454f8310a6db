#pragma once

#include "mees/sim/registry.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace mees {

/// What a user should know of the domain before training in it. Of an environment in another
/// process also whether its numbers are the same twice, as far as a short look can tell.
[[nodiscard]] std::vector<std::string> notes_on(Domain const& domain, DomainRegistry const& domains,
                                                std::string_view name);

}  // namespace mees
