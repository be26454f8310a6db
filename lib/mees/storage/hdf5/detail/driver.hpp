#pragma once

#include <hdf5.h>

#include <atomic>
#include <cstdint>

namespace mees::hdf5 {

/// The file's first failure, reported outside the library. `error` is its errno, or 0.
struct DriverOutcome {
    int error{0};
    char const* doing{""};
};

/// Passed to the driver through the access property list, copied byte by byte.
struct DriverParameters {
    DriverOutcome* outcome{nullptr};  ///< must outlive the file
    std::int64_t expected_bytes{0};
    std::atomic<bool> const* cancelled{nullptr};  ///< writing ends when it becomes true
};

/// Files that are opened with this access property list are read and written by our own driver.
///
/// The library cannot close a file whose disk is full: it keeps the descriptor, and with it the
/// space. This driver therefore reports a failed write as done, ignores later writes, and stores
/// the error in `outcome`. Files are written without HDF5's file locks (which some file systems do
/// not support), reserved in advance, and flushed to disk when closed. Only regular files are
/// opened.
void use_driver(hid_t access, DriverParameters const& parameters);

}  // namespace mees::hdf5
