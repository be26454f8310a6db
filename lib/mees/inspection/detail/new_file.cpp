#include "mees/inspection/detail/new_file.hpp"

#include "mees/core/error.hpp"
#include "mees/core/new_file.hpp"

#include <fmt/format.h>

namespace mees {

std::ofstream create_new_file(std::filesystem::path const& path)
{
    require_new_file(path);
    std::ofstream file{path, std::ios::binary};
    if (!file) {
        throw FileError{fmt::format("{} cannot be made", path.string()),
                        "its folder does not exist or cannot be written to",
                        "Give another name, or make the folder."};
    }
    return file;
}

void close_new_file(std::ofstream& file, std::filesystem::path const& path)
{
    file.close();
    if (!file) {
        std::error_code error;
        std::filesystem::remove(path, error);
        throw FileError{fmt::format("{} could not be written", path.string()), "is the disk full?",
                        "Make room, or give another place."};
    }
}

}  // namespace mees
