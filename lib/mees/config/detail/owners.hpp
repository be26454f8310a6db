#pragma once

#include "mees/config/schema.hpp"

namespace mees::detail {

/// The algorithms that use a group of keys.
[[nodiscard]] inline Owner algorithms(KeyGroup group)
{
    return {.selector = "algorithm.name", .group = group};
}

}  // namespace mees::detail
