#pragma once

#include <hdf5.h>

#include <cstdint>

namespace mees::hdf5 {

/// The file's first failure, reported outside the library. `error` is its errno, or 0.
struct DriverOutcome {
    int error{0};
    char const* doing{""};
};

/// Files that are opened with this access property list are read and written by our own driver.
///
/// The library cannot close a file whose disk is full: it keeps the descriptor, and with it the
/// space. This driver therefore reports a failed write as done, ignores later writes, and stores
/// the error in `outcome`, which must outlive the file. Files are written without HDF5's file locks
/// (which some file systems do not support), reserved in advance, and flushed to disk when closed.
void use_driver(hid_t access, DriverOutcome& outcome, std::int64_t expected_bytes);

}  // namespace mees::hdf5
