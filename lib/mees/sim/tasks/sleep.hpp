#pragma once

#include "mees/config/settings.hpp"
#include "mees/core/stream.hpp"

namespace mees {

/// The duration of an episode of the domain `sleep` whose reset gets that stream.
[[nodiscard]] double sleep_seconds(DomainSettings const& settings, Stream stream);

}  // namespace mees
