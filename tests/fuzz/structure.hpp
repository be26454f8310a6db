#pragma once

#include "fuzz/target.hpp"

#include <filesystem>

namespace mees::test {

/// What is in a file after its structure was changed.
struct Changed {
    bool elsewhere{false};  ///< values that are in another file
    bool endless{false};    ///< values of which the file stores a small part
};

/// Changes an HDF5 file in ways that our own writer does not know: links, groups in groups, data
/// sets of other files, of absurd size or of other types. `bytes` say which; all are valid. `other`
/// is the file that is named where another one is.
Changed change_structure(std::filesystem::path const& path, ByteView bytes,
                         std::filesystem::path const& other);

}  // namespace mees::test
