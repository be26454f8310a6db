#include "mees/storage/diff.hpp"

#include "mees/core/text.hpp"
#include "mees/inspection/commands.hpp"
#include "mees/storage/map/file.hpp"

#include <fmt/format.h>

#include <optional>

namespace mees::inspect {
namespace {

/// Nothing for a file that is not a map, such as the results of a recovery.
std::optional<Generation> generation_of(std::filesystem::path const& file)
{
    try {
        return MapReader{file}.generation();
    } catch (FileError const&) {
        return std::nullopt;
    }
}

}  // namespace

ExitCode diff(std::filesystem::path const& left, std::filesystem::path const& right,
              std::ostream& out)
{
    auto const differences = mees::diff(left, right);
    if (!differences.empty()) {
        auto const first = generation_of(left);
        auto const second = generation_of(right);
        if (first && second && *first != *second) {
            out << fmt::format("generation {} against {}\n", first->value(), second->value());
        }
    }
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
