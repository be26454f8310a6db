#include "mees/core/new_file.hpp"

#include "mees/core/error.hpp"

#include <fmt/format.h>

namespace mees {

void require_new_file(std::filesystem::path const& path)
{
    std::error_code unreadable;
    if (std::filesystem::exists(path, unreadable)) {
        throw FileError{fmt::format("{} exists", path.string()), "nothing is written over",
                        "Remove it or give another name."};
    }
    if (auto const folder = path.parent_path();
        !folder.empty() && !std::filesystem::is_directory(folder, unreadable)) {
        throw FileError{fmt::format("{} cannot be made", path.string()),
                        fmt::format("there is no folder {}", folder.string()),
                        "Make it or give another name."};
    }
}

}  // namespace mees
