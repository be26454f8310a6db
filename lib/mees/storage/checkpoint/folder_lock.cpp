#include "mees/storage/checkpoint/folder_lock.hpp"

#include "mees/core/error.hpp"
#include "mees/core/log.hpp"
#include "mees/core/process.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

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

FolderLock::FolderLock(std::filesystem::path const& path, std::string const& subject)
{
    descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) {
        throw FileError{fmt::format("cannot use {}", subject),
                        fmt::format("{}: {}", path.filename().string(), std::strerror(errno)),
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
        throw FileError{fmt::format("{} is in use", subject), who,
                        "Wait for that run to end, stop it, or choose another --out."};
    }
    log::warning(
        "the file system does not support locks ({}): make sure that no second run uses {}",
        std::strerror(errno), subject);
}

FolderLock::~FolderLock()
{
    ::close(descriptor_);
}

}  // namespace mees
