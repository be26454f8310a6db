#include "mees/storage/checkpoint/detail/rotation.hpp"

#include "mees/core/atomic_file.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

namespace mees {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(fs::path const& path, std::error_code const& error)
{
    throw WriteError{fmt::format("cannot write {}", path.string()), error.message(),
                     "Free disk space or check the permissions of the folder."};
}

/// As far as possible: the file may be a damaged one that is only put aside.
void sync(fs::path const& path)
{
    int const descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor >= 0) {
        ::fsync(descriptor);
        ::close(descriptor);
    }
}

}  // namespace

void keep_previous(fs::path const& folder)
{
    auto const map = folder / map_name;
    auto const previous = folder / previous_map_name;
    std::error_code error;
    if (!fs::exists(map, error)) {
        return;
    }
    AtomicFile file{previous};
    if (::link(map.c_str(), file.temporary().c_str()) == 0) {
        file.commit();
        return;
    }
    fs::rename(map, previous, error);
    if (error) {
        fail(previous, error);
    }
}

void keep_copy(fs::path const& map, fs::path const& kept)
{
    std::error_code error;
    fs::create_directories(kept.parent_path(), error);
    AtomicFile file{kept};
    if (::link(map.c_str(), file.temporary().c_str()) != 0
        && !fs::copy_file(map, file.temporary(), error)) {
        fail(kept, error);
    }
    file.commit();
}

void rename_file(fs::path const& from, fs::path const& to,
                 std::function<void()> const& before_rename)
{
    sync(from);
    before_rename();
    std::error_code error;
    fs::rename(from, to, error);
    if (error) {
        fail(to, error);
    }
    sync(to.parent_path());
}

}  // namespace mees
