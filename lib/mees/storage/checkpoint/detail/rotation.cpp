#include "mees/storage/checkpoint/detail/rotation.hpp"

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

/// The temporary file for `target`; true if it is a link.
bool link_or_copy(fs::path const& from, fs::path const& temporary, fs::path const& target)
{
    if (::link(from.c_str(), temporary.c_str()) == 0) {
        return true;
    }
    std::error_code error;
    if (!fs::copy_file(from, temporary, error)) {
        fail(target, error);
    }
    return false;
}

}  // namespace

MapRotation::MapRotation(fs::path const& folder)
    : target_{folder / previous_map_name}, previous_{target_}
{
    std::error_code error;
    if (fs::exists(folder / map_name, error)) {
        linked_ = link_or_copy(folder / map_name, previous_.temporary(), target_);
        copied_ = !linked_;
    }
}

void MapRotation::commit()
{
    if (copied_) {
        previous_.commit();
    }
    // A second name for a file on disk. It is not flushed: the file before it is intact, too.
    std::error_code error;
    if (linked_) {
        fs::rename(previous_.temporary(), target_, error);
    }
    if (error) {
        fail(target_, error);
    }
}

void keep_copy(fs::path const& map, fs::path const& kept)
{
    std::error_code error;
    fs::create_directories(kept.parent_path(), error);
    AtomicFile file{kept};
    static_cast<void>(link_or_copy(map, file.temporary(), kept));
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
