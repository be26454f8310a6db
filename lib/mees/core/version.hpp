#pragma once

#include <string>

namespace mees {

[[nodiscard]] std::string version();
/// The commit of this build, followed by "-dirty" if the sources had changes.
[[nodiscard]] std::string git_commit();
[[nodiscard]] std::string build_type();
[[nodiscard]] std::string eigen_version();

}  // namespace mees
