#pragma once

#include "mees/sim/reference.hpp"
#include "mees/sim/task.hpp"

#include <memory>

namespace mees {

/// What to do about a recording that no domain of this program can follow.
inline constexpr char const* recording_remedy =
    "record it again with mees_replay --trajectory, or use one of a domain with default settings";

/// The domain of a recording: set up as its configuration says, by default where it holds none, as
/// recordings by other programs do. Throws FileError for a domain that this program does not have
/// or cannot set up so.
[[nodiscard]] std::shared_ptr<Domain const> recorded_domain(Recording const& recording);

}  // namespace mees
