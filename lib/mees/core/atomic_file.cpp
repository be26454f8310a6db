#include "mees/core/atomic_file.hpp"

#include "mees/core/log.hpp"
#include "mees/core/process.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

namespace mees {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view suffix = ".tmp";

fs::path folder_of(fs::path const& file)
{
    return file.has_parent_path() ? file.parent_path() : fs::path{"."};
}

/// process_origin() without dashes, which separate the parts of a temporary file's name.
std::string origin_part()
{
    auto origin = process_origin();
    std::ranges::replace(origin, '-', '+');
    return origin;
}

/// The parts of ".STEM-ORIGIN-PROCESS-TICKS-SERIAL.tmp", of which only the stem may contain dashes.
struct TemporaryName {
    std::string stem;
    std::string origin;
    pid_t process{0};
};

std::optional<TemporaryName> parse_temporary(std::string_view name)
{
    if (!name.starts_with('.') || !name.ends_with(suffix)) {
        return std::nullopt;
    }
    name = name.substr(1, name.size() - 1 - suffix.size());
    std::array<std::string_view, 4> parts;  // serial, ticks, process, origin
    for (auto& part : parts) {
        auto const dash = name.rfind('-');
        if (dash == std::string_view::npos) {
            return std::nullopt;
        }
        part = name.substr(dash + 1);
        name = name.substr(0, dash);
    }
    auto const& text = parts[2];
    pid_t process = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), process);
    if (error != std::errc{} || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return TemporaryName{std::string{name}, std::string{parts[3]}, process};
}

void require_folder(fs::path const& path)
{
    std::error_code unreadable;
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

[[noreturn]] void refuse_existing(fs::path const& path)
{
    throw FileError{fmt::format("cannot write {}", path.string()),
                    "it exists, and results are not overwritten without --force",
                    "Remove it, choose another name, or use --force."};
}

/// rename(), or, to keep an existing file, a rename that fails with EEXIST; 0 or the errno.
int move_file(fs::path const& from, fs::path const& to, Existing existing)
{
    if (existing == Existing::keep) {
        if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) {
            return 0;
        }
        if (errno != EINVAL && errno != ENOSYS) {
            return errno;
        }
        // Not every file system can do that in one step.
        if (std::error_code ignored; fs::exists(fs::symlink_status(to, ignored))) {
            return EEXIST;
        }
    }
    return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
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
                 / fmt::format(".{}-{}-{}-{:x}-{}{}", target_.stem().string(), origin_part(),
                               ::getpid(), ticks, serial++, suffix);
}

AtomicFile::~AtomicFile()
{
    // After a commit too: rename() does nothing if both names are links to the same file.
    ::unlink(temporary_.c_str());
}

void AtomicFile::commit(Existing existing)
{
    if (int const error = flush(temporary_); error != 0) {
        fail(target_, "flushing to disk", error);
    }
    if (int const error = move_file(temporary_, target_, existing); error == EEXIST) {
        refuse_existing(target_);
    } else if (error != 0) {
        fail(target_, "renaming", error);
    }
    // Some file systems cannot flush folders.
    if (int const error = flush(folder_of(target_));
        error != 0 && error != EINVAL && error != ENOTSUP) {
        fail(target_, "flushing the folder", error);
    }
}

namespace {

void fill(AtomicFile const& file, fs::path const& path, std::string_view content)
{
    if (int const error = create(file.temporary(), content); error != 0) {
        fail(path, "writing", error);
    }
}

}  // namespace

void write_file(fs::path const& path, std::string_view content,
                std::function<void()> const& before_commit)
{
    AtomicFile file{path};
    fill(file, path, content);
    if (before_commit) {
        before_commit();
    }
    file.commit();
}

void write_new_file(fs::path const& path, std::string_view content, Existing existing)
{
    require_output(path, existing);
    AtomicFile file{path};
    fill(file, path, content);
    file.commit(existing);
}

void make_folder(fs::path const& folder)
{
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
        throw FileError{fmt::format("cannot create the folder {}", folder.string()),
                        error.message(), "Choose another folder."};
    }
}

void require_output(fs::path const& path, Existing existing)
{
    std::error_code unreadable;
    auto const status = fs::symlink_status(path, unreadable);
    if (fs::exists(status) && existing == Existing::keep) {
        refuse_existing(path);
    }
    if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_symlink(status)) {
        throw FileError{fmt::format("cannot write {}", path.string()),
                        "it exists and is not a file", "Choose another name."};
    }
    require_folder(path);
    remove_abandoned_temporaries(path);
}

void require_output(fs::path const& path, Existing existing, fs::path const& input)
{
    std::error_code missing;
    if (fs::equivalent(path, input, missing)) {
        throw FileError{fmt::format("cannot write {}", path.string()), "it is the input",
                        "Choose another name."};
    }
    require_output(path, existing);
}

std::vector<fs::path> temporaries(fs::path const& folder, std::string_view stem)
{
    std::vector<fs::path> paths;
    std::error_code error;
    for (auto const& entry : fs::directory_iterator{folder, error}) {
        auto const name = parse_temporary(entry.path().filename().string());
        if (name && (stem.empty() || name->stem == stem)) {
            paths.push_back(entry.path());
        }
    }
    std::ranges::sort(paths);
    return paths;
}

void remove_temporaries(fs::path const& folder, std::string_view stem)
{
    for (auto const& path : temporaries(folder, stem)) {
        log::info("removing {}, left behind by a killed process", path.filename().string());
        std::error_code error;
        fs::remove(path, error);
    }
}

void remove_abandoned_temporaries(fs::path const& target)
{
    auto const stem = target.stem().string();
    auto const origin = origin_part();
    std::error_code error;
    for (auto const& entry : fs::directory_iterator{folder_of(target), error}) {
        auto const file = entry.path().filename().string();
        auto const name = parse_temporary(file);
        if (name && name->stem == stem && name->origin == origin && name->process > 0
            && ::kill(name->process, 0) != 0 && errno == ESRCH) {
            log::info("removing {}, left behind by a killed process", file);
            fs::remove(entry.path(), error);
        }
    }
}

}  // namespace mees
