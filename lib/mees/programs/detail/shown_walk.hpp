#pragma once

#include "mees/navigation/navigation_domain.hpp"
#include "mees/navigation/navigation_run.hpp"
#include "mees/programs/detail/options.hpp"
#include "mees/storage/navigation_file.hpp"

namespace mees {

/// Makes a walk of the document again and writes its video and trajectory, where the options name
/// files for them; prints their names. `seed` is the map's.
void show_walk(NavigationDomain const& domain, NavigationJob const& job, std::uint64_t seed,
               NavigationDocument const& document, NavigateOptions const& options);

}  // namespace mees
