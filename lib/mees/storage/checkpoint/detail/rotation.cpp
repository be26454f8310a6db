#include "mees/storage/checkpoint/detail/rotation.hpp"

#include "mees/core/host_name.hpp"
#include "mees/core/log.hpp"
#include "mees/storage/hdf5/file.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace mees {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view temporary_prefix = ".map-";
constexpr std::string_view temporary_suffix = ".tmp";

[[noreturn]] void fail(std::string const& doing, int error)
{
    throw hdf5::WriteError{doing, std::strerror(error), "make room or mend the folder"};
}

void rename_file(fs::path const& from, fs::path const& to)
{
    if (::rename(from.c_str(), to.c_str()) != 0) {
        fail(fmt::format("cannot rename {} to {}", from.string(), to.filename().string()), errno);
    }
}

/// So that the renames outlive a power cut.
void flush_folder(fs::path const& folder)
{
    int const descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) {
        fail(fmt::format("cannot open {}", folder.string()), errno);
    }
    int const error = ::fsync(descriptor) == 0 ? 0 : errno;
    ::close(descriptor);
    if (error != 0 && error != EINVAL && error != ENOTSUP) {
        fail(fmt::format("cannot flush {}", folder.string()), error);
    }
}

/// Gives `map` the name `previous` as well, or instead where there are no hard links.
void set_aside(fs::path const& map, fs::path const& previous, fs::path const& folder)
{
    if (std::error_code ignored; !fs::exists(map, ignored)) {
        return;
    }
    auto const link = temporary_name(folder);
    if (::link(map.c_str(), link.c_str()) != 0) {
        rename_file(map, previous);
        return;
    }
    rename_file(link, previous);
    // Renaming one name of a file to another name of it does nothing.
    ::unlink(link.c_str());
}

}  // namespace

fs::path temporary_name(fs::path const& folder)
{
    static std::atomic<unsigned> serial{0};
    auto const ticks = std::chrono::system_clock::now().time_since_epoch().count();
    return folder
           / fmt::format("{}{}-{}-{:x}-{}{}", temporary_prefix, host_name(), ::getpid(), ticks,
                         serial++, temporary_suffix);
}

void remove_temporaries(fs::path const& folder)
{
    std::error_code error;
    for (auto const& entry : fs::directory_iterator{folder, error}) {
        auto const name = entry.path().filename().string();
        if (name.starts_with(temporary_prefix) && name.ends_with(temporary_suffix)) {
            log::info("removing {}, left behind by a run that was killed", name);
            fs::remove(entry.path(), error);
        }
    }
}

void rotate(fs::path const& fresh, fs::path const& folder)
{
    auto const map = folder / map_name;
    set_aside(map, folder / previous_map_name, folder);
    rename_file(fresh, map);
    flush_folder(folder);
}

void keep_copy(fs::path const& map, fs::path const& kept)
{
    auto const folder = kept.parent_path();
    std::error_code error;
    fs::create_directories(folder, error);
    auto const link = temporary_name(folder);
    if (::link(map.c_str(), link.c_str()) != 0 && !fs::copy_file(map, link, error)) {
        fail(fmt::format("cannot write {}", kept.string()), error.value());
    }
    rename_file(link, kept);
    ::unlink(link.c_str());
    flush_folder(folder);
}

}  // namespace mees
