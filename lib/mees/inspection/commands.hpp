#pragma once

#include "mees/core/error.hpp"

#include <filesystem>
#include <ostream>

/// What `mees_inspect` can do: a function and a file per subcommand. Each prints to `out` and
/// returns the exit code; a file that cannot be used is a FileError.
namespace mees::inspect {

/// A page about the run and its map; reads no parameters, so it is quick on files of any size.
ExitCode summary(std::filesystem::path const& file, std::ostream& out);

/// Reads every byte: success if the file is whole, unusable_file with what is damaged if not.
ExitCode verify(std::filesystem::path const& file, std::ostream& out);

/// Success if two maps are the same to the bit, clock aside; failure with what differs if not.
ExitCode diff(std::filesystem::path const& left, std::filesystem::path const& right,
              std::ostream& out);

}  // namespace mees::inspect
