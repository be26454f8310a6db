#pragma once

// What the two halves of Reader (datasets, attributes) share.

#include "mees/storage/hdf5/detail/driver.hpp"
#include "mees/storage/hdf5/detail/library.hpp"

#include <fmt/format.h>

namespace mees::hdf5 {

struct Reader::Implementation {
    std::filesystem::path path;
    DriverOutcome outcome;
    Handle file;

    /// Runs `work` under the lock; a failure of the library becomes a FileError about `object`.
    template <class Work>
    auto guarded(std::string const& object, Work const& work) const
    {
        auto const lock = exclusive();
        try {
            return work();
        } catch (LibraryFailure const& failure) {
            throw FileError{fmt::format("cannot use {}", path.string()),
                            fmt::format("{} {}", object, failure.what), "Use another file."};
        }
    }
};

/// Whether every link of the path exists.
[[nodiscard]] bool link_exists(hid_t file, std::string const& path);

}  // namespace mees::hdf5
