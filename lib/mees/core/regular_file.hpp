#pragma once

#include <filesystem>
#include <string>

namespace mees {

/// An open regular file, or the reason why there is none: "No such file or directory", "it is a
/// named pipe".
struct OpenedFile {
    int descriptor{-1};
    std::string problem;
};

/// Opens a file with the flags of open(2) and never waits, whatever the path leads to: a pipe, a
/// device or a folder is refused.
[[nodiscard]] OpenedFile open_regular(std::filesystem::path const& path, int flags);

/// Why the path cannot be read as a file; "" if it can.
[[nodiscard]] std::string unreadable(std::filesystem::path const& path);

}  // namespace mees
