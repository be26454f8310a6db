#include "mees/storage/checkpoint/folder_lock.hpp"

#include "mees/core/error.hpp"
#include "mees/core/log.hpp"
#include "mees/core/process.hpp"
#include "mees/core/regular_file.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace mees {
namespace {

/// Only for the message: host and process of the holder.
std::string holder(int descriptor)
{
    std::array<char, 256> text{};
    auto const length = ::pread(descriptor, text.data(), text.size(), 0);
    return length > 0 ? std::string{text.data(), static_cast<std::size_t>(length)} : "unknown";
}

void name_holder(int descriptor)
{
    auto const text = fmt::format("process {} on {}", ::getpid(), host_name());
    if (::ftruncate(descriptor, 0) == 0) {
        static_cast<void>(!::pwrite(descriptor, text.data(), text.size(), 0));
    }
}

/// Where the file is now, as far as the kernel knows; "" if it does not.
std::string present_path(int descriptor)
{
    std::error_code unknown;
    auto const path =
        std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", descriptor), unknown);
    return unknown ? std::string{} : path.string();
}

bool same_file(struct stat const& a, struct stat const& b)
{
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

}  // namespace

FolderLock::FolderLock(std::filesystem::path const& folder)
    : FolderLock{folder / ".lock", fmt::format("the folder {}", folder.string())}
{
}

std::unique_ptr<FolderLock> FolderLock::of_file(std::filesystem::path const& file)
{
    auto const lock_file = file.parent_path() / fmt::format(".{}.lock", file.filename().string());
    return std::unique_ptr<FolderLock>{
        new FolderLock{lock_file, fmt::format("the file {}", file.string())}};
}

FolderLock::FolderLock(std::filesystem::path path, std::string subject)
    : path_{std::move(path)}, subject_{std::move(subject)}
{
    auto const file = open_regular(path_, O_RDWR | O_CREAT | O_NOFOLLOW);
    descriptor_ = file.descriptor;
    if (descriptor_ < 0) {
        throw FileError{fmt::format("cannot use {}", subject_),
                        fmt::format("{}: {}", path_.filename().string(), file.problem),
                        "Choose a writable folder with --out."};
    }
    struct flock request = {};
    request.l_type = F_WRLCK;
    request.l_whence = SEEK_SET;
    // A lock of the open file, not of the process: closing another descriptor does not drop it.
    if (::fcntl(descriptor_, F_OFD_SETLK, &request) == 0) {
        held_ = true;
        name_holder(descriptor_);
        return;
    }
    if (errno == EAGAIN || errno == EACCES) {
        auto const who = holder(descriptor_);
        ::close(descriptor_);
        throw FileError{fmt::format("{} is in use", subject_), who,
                        "Wait for that run to end, stop it, or choose another --out."};
    }
    log::warning(
        "the file system does not support locks ({}): make sure that no second run uses {}",
        std::strerror(errno), subject_);
}

FolderLock::~FolderLock()
{
    ::close(descriptor_);
}

void FolderLock::require_in_place() const
{
    struct stat held = {};
    struct stat found = {};
    if (::fstat(descriptor_, &held) != 0) {
        return;
    }
    if (::stat(path_.c_str(), &found) == 0) {
        if (!same_file(held, found)) {
            throw FolderLost{
                fmt::format("{} is not this run's any more", subject_),
                held.st_nlink == 0
                    ? "it was removed, and another has taken its place"
                    : fmt::format("another has taken its place; this run's lock file is now {}",
                                  present_path(descriptor_)),
                "Do not move or remove the folder of a run before it ends."};
        }
        return;
    }
    if (errno != ENOENT) {
        return;
    }
    if (held.st_nlink == 0) {
        throw FolderLost{fmt::format("cannot continue in {}", subject_),
                         fmt::format("{} was removed", path_.filename().string()),
                         "Do not remove the folder of a run, or files in it, before it ends."};
    }
    if (::stat(path_.parent_path().c_str(), &found) == 0) {
        throw FolderLost{fmt::format("{} is not this run's any more", subject_),
                         fmt::format("another has taken its place; this run's lock file is now {}",
                                     present_path(descriptor_)),
                         "Do not move the folder of a run before it ends."};
    }
}

}  // namespace mees
