#pragma once

// Inside this module only: the root's attributes, which all files of this project share.

#include "mees/storage/hdf5/file.hpp"
#include "mees/storage/map/document.hpp"

#include <cstdint>

namespace mees {

/// One of this project's types of file.
struct FileKind {
    char const* filetype;
    FormatVersion version;
    char const* example;  ///< where a user finds one
};

/// How far the run was when the file was written.
struct RunProgress {
    Generation generation;
    std::int64_t episodes{0};
    std::int64_t steps{0};
};

/// `created` is now, whatever `run` says.
void write_run_attributes(hdf5::Writer& file, FileKind const& kind, RunInfo const& run,
                          RunProgress const& progress);

/// Throws ForeignFile for a file of another kind or another major version.
[[nodiscard]] FormatVersion read_format_version(hdf5::Reader const& file, FileKind const& kind);
[[nodiscard]] RunInfo read_run_attributes(hdf5::Reader const& file);

}  // namespace mees
