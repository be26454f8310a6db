#pragma once

#include <string>

namespace mees {

[[nodiscard]] std::string version();
/// The commit this was built from, with "-dirty" behind it if the sources differed from it.
[[nodiscard]] std::string git_commit();
[[nodiscard]] std::string build_type();
[[nodiscard]] std::string eigen_version();

}  // namespace mees
