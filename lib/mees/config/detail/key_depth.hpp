#pragma once

#include <optional>
#include <string_view>

namespace mees {

/// The line of the first dotted key with more parts than any key of ours could have; none if there
/// is no such key. The TOML library recurses once per part, and would exhaust the stack.
[[nodiscard]] std::optional<int> line_of_deep_key(std::string_view toml);

}  // namespace mees
