#include "mees/core/regular_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace mees {
namespace {

std::string kind_of(mode_t mode)
{
    switch (mode & S_IFMT) {
        case S_IFDIR:
            return "it is a folder";
        case S_IFIFO:
            return "it is a named pipe";
        case S_IFSOCK:
            return "it is a socket";
        default:
            return "it is a device";
    }
}

}  // namespace

OpenedFile open_regular(std::filesystem::path const& path, int flags)
{
    // Without O_NONBLOCK, opening a pipe waits for its other end.
    int const descriptor = ::open(path.c_str(), flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
    if (descriptor < 0) {
        int const error = errno;
        struct stat status = {};
        bool const link = error == ELOOP && (flags & O_NOFOLLOW) != 0;
        bool const special = ::lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)
                             && !S_ISLNK(status.st_mode);
        return {-1, link      ? "it is a symbolic link"
                    : special ? kind_of(status.st_mode)
                              : std::strerror(error)};
    }
    struct stat status = {};
    if (::fstat(descriptor, &status) != 0) {
        int const error = errno;
        ::close(descriptor);
        return {-1, std::strerror(error)};
    }
    if (!S_ISREG(status.st_mode)) {
        ::close(descriptor);
        return {-1, kind_of(status.st_mode)};
    }
    return {descriptor, {}};
}

std::string unreadable(std::filesystem::path const& path)
{
    auto const file = open_regular(path, O_RDONLY);
    if (file.descriptor >= 0) {
        ::close(file.descriptor);
    }
    return file.problem;
}

}  // namespace mees
