#include "mees/core/atomic_file.hpp"

#include "mees/core/log.hpp"
#include "mees/core/process.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

namespace mees {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view suffix = ".tmp";

fs::path folder_of(fs::path const& file)
{
    return file.has_parent_path() ? file.parent_path() : fs::path{"."};
}

std::string prefix(std::string_view stem)
{
    return stem.empty() ? "." : fmt::format(".{}-", stem);
}

[[noreturn]] void fail(fs::path const& target, std::string_view action, int error)
{
    throw WriteError{fmt::format("cannot write {}", target.string()),
                     fmt::format("{}: {}", action, std::strerror(error)),
                     "Free disk space or check the permissions of the folder."};
}

/// Flushes a file or folder to disk; 0 or the errno.
int flush(fs::path const& path)
{
    int const descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return errno;
    }
    int error = ::fsync(descriptor) == 0 ? 0 : errno;
    if (::close(descriptor) != 0 && error == 0) {
        error = errno;
    }
    return error;
}

/// Creates a file with this content; 0 or the errno.
int create(fs::path const& path, std::string_view content)
{
    int const descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0) {
        return errno;
    }
    int error = 0;
    for (std::size_t written = 0; written < content.size() && error == 0;) {
        auto const count = ::pwrite(descriptor, content.data() + written, content.size() - written,
                                    static_cast<off_t>(written));
        if (count >= 0) {
            written += static_cast<std::size_t>(count);
        } else if (errno != EINTR) {
            error = errno;
        }
    }
    if (::close(descriptor) != 0 && error == 0) {
        error = errno;
    }
    return error;
}

}  // namespace

AtomicFile::AtomicFile(fs::path target) : target_{std::move(target)}
{
    static std::atomic<unsigned> serial{0};
    auto const ticks = std::chrono::system_clock::now().time_since_epoch().count();
    temporary_ = target_.parent_path()
                 / fmt::format("{}{}-{}-{:x}-{}{}", prefix(target_.stem().string()), host_name(),
                               ::getpid(), ticks, serial++, suffix);
}

AtomicFile::~AtomicFile()
{
    // After a commit too: rename() does nothing if both names are links to the same file.
    ::unlink(temporary_.c_str());
}

void AtomicFile::commit()
{
    if (int const error = flush(temporary_); error != 0) {
        fail(target_, "flushing to disk", error);
    }
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
        fail(target_, "renaming", errno);
    }
    // Some file systems cannot flush folders.
    if (int const error = flush(folder_of(target_));
        error != 0 && error != EINVAL && error != ENOTSUP) {
        fail(target_, "flushing the folder", error);
    }
}

void write_file(fs::path const& path, std::string_view content)
{
    AtomicFile file{path};
    if (int const error = create(file.temporary(), content); error != 0) {
        fail(path, "writing", error);
    }
    file.commit();
}

void write_new_file(fs::path const& path, std::string_view content)
{
    require_new_file(path);
    write_file(path, content);
}

void require_new_file(fs::path const& path)
{
    std::error_code unreadable;
    if (fs::exists(path, unreadable)) {
        throw FileError{fmt::format("cannot write {}", path.string()),
                        "it exists, and results are never overwritten",
                        "Remove it or choose another name."};
    }
    auto const folder = folder_of(path);
    if (!fs::is_directory(folder, unreadable)) {
        throw FileError{fmt::format("cannot write {}", path.string()),
                        fmt::format("the folder {} does not exist", folder.string()),
                        "Create it or choose another name."};
    }
    if (::access(folder.c_str(), W_OK) != 0) {
        throw FileError{fmt::format("cannot write {}", path.string()),
                        fmt::format("the folder {} is not writable", folder.string()),
                        "Choose another folder."};
    }
}

void remove_temporaries(fs::path const& folder, std::string_view stem)
{
    std::error_code error;
    for (auto const& entry : fs::directory_iterator{folder, error}) {
        auto const name = entry.path().filename().string();
        if (name.starts_with(prefix(stem)) && name.ends_with(suffix)) {
            log::info("removing {}, left behind by a killed process", name);
            fs::remove(entry.path(), error);
        }
    }
}

}  // namespace mees
