#pragma once

#include <hdf5.h>

#include <cstdint>

namespace mees::hdf5 {

/// What happened to the file, told outside the library. `error` is the first errno, or 0.
struct DriverOutcome {
    int error{0};
    char const* doing{""};
};

/// Lets files that are opened with this access property list be read and written by our own driver.
///
/// The library cannot close a file whose disk is full: it keeps the descriptor, and with it the
/// space, for ever. This driver therefore takes a failed write for done, drops what follows, and
/// notes the error in `outcome`, which must outlive the file. Files are written without HDF5's file
/// locks (which some file systems refuse), reserved in advance, and have reached the disk when
/// closed.
void use_driver(hid_t access, DriverOutcome& outcome, std::int64_t expected_bytes);

}  // namespace mees::hdf5
