#pragma once

#include "mees/evaluation/batch.hpp"

#include <cstdint>
#include <span>

namespace mees {

/// Writes the parameters of one member of a group (see Group) to `parameters`.
void perturb(Group const& group, std::int64_t member, std::span<float const> noise,
             std::span<float> parameters);

}  // namespace mees
