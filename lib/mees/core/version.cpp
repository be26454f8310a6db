#include "mees/core/version.hpp"

#include "git_commit.hpp"

#include <fmt/format.h>
#include <Eigen/Core>

namespace mees {

std::string version()
{
    return MEES_VERSION;
}

std::string git_commit()
{
    return MEES_GIT_COMMIT;
}

std::string build_type()
{
    return MEES_BUILD_TYPE;
}

std::string eigen_version()
{
    return fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION);
}

}  // namespace mees
