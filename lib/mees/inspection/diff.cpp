#include "mees/storage/diff.hpp"

#include "mees/core/text.hpp"
#include "mees/inspection/commands.hpp"

#include <fmt/format.h>

namespace mees::inspect {

ExitCode diff(std::filesystem::path const& left, std::filesystem::path const& right,
              std::ostream& out)
{
    auto const differences = mees::diff(left, right);
    for (auto const& difference : differences) {
        out << escaped(difference) << '\n';
    }
    if (differences.empty()) {
        out << fmt::format(
            "{} and {} are bit-identical (except /timing, created, wall_seconds and "
            "restarts)\n",
            left.string(), right.string());
        return ExitCode::success;
    }
    return ExitCode::failure;
}

}  // namespace mees::inspect
