#pragma once

#include <string>
#include <string_view>

namespace mees {

/// A file of models/ that is compiled into the programs, such as "ant.xml".
[[nodiscard]] std::string_view shipped_file(std::string const& name);

}  // namespace mees
