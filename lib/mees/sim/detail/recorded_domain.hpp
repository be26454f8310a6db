#pragma once

#include "mees/sim/recording/recording.hpp"
#include "mees/sim/registry.hpp"

namespace mees {

/// The remedy for a recording that no domain of this program can reproduce.
inline constexpr char const* recording_remedy =
    "Record it again with mees_replay --trajectory, or use one of a domain with default settings.";

/// The domain of a recording, set up by the recording's configuration, or by default if it has none
/// (as recordings of other programs). Throws FileError for a domain that `domains` does not have or
/// cannot set up in that way.
[[nodiscard]] DomainPtr recorded_domain(Recording const& recording, DomainRegistry const& domains);

}  // namespace mees
