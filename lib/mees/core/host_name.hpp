#pragma once

#include <string>

namespace mees {

/// This machine's name, as other machines of its network know it.
[[nodiscard]] std::string host_name();

}  // namespace mees
