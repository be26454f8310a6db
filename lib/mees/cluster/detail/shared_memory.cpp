#include "mees/cluster/detail/shared_memory.hpp"

#include "mees/cluster/detail/watchdog.hpp"
#include "mees/core/error.hpp"
#include "mees/core/text.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include <sys/statvfs.h>

namespace mees {
namespace {

/// Where the MPI library keeps its shared windows.
std::string backing_directory()
{
    char const* chosen = std::getenv("OMPI_MCA_osc_sm_backing_directory");
    return chosen != nullptr ? chosen : "/dev/shm";
}

}  // namespace

SharedMemory::SharedMemory(MPI_Comm node, std::int64_t bytes)
{
    static std::atomic<char const*> const stage{"allocating memory shared by a node's ranks"};
    auto const watchdog = bound_collective(stage);
    int rank = 0;
    MPI_Comm_rank(node, &rank);
    void* base = nullptr;
    check_mpi(MPI_Win_allocate_shared(rank == 0 ? bytes + MPI_Aint{cache_line} : 0, 1,
                                      MPI_INFO_NULL, node, static_cast<void*>(&base), &window_),
              "allocating memory shared by a node's ranks");
    MPI_Aint size = 0;
    int unit = 0;
    check_mpi(MPI_Win_shared_query(window_, 0, &size, &unit, static_cast<void*>(&base)),
              "finding memory shared by a node's ranks");
    check_mpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_), "opening shared memory");
    // Windows begin anywhere within a page, but at the same offset on every rank.
    auto room = static_cast<std::size_t>(size);
    expects(std::align(cache_line, static_cast<std::size_t>(bytes), base, room) != nullptr,
            "enough shared memory to align");
    bytes_ = {static_cast<std::byte*>(base), static_cast<std::size_t>(bytes)};
}

SharedMemory::~SharedMemory()
{
    if (window_ != MPI_WIN_NULL && std::uncaught_exceptions() == 0 && !mpi_failed()) {
        static std::atomic<char const*> const stage{"releasing memory shared by a node's ranks"};
        auto const watchdog = bound_collective(stage);
        MPI_Win_unlock_all(window_);
        MPI_Win_free(&window_);
    }
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : window_{std::exchange(other.window_, MPI_WIN_NULL)}, bytes_{std::exchange(other.bytes_, {})}
{
}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept
{
    std::swap(window_, other.window_);
    std::swap(bytes_, other.bytes_);
    return *this;
}

void SharedMemory::synchronise() const
{
    MPI_Win_sync(window_);
}

void require_shared_memory(std::int64_t bytes, char const* what_for)
{
    auto const directory = backing_directory();
    struct statvfs file_system = {};
    if (statvfs(directory.c_str(), &file_system) != 0) {
        return;
    }
    constexpr double spare = 8e6;  // what the MPI library itself adds
    double const free_bytes =
        static_cast<double>(file_system.f_bavail) * static_cast<double>(file_system.f_frsize);
    double const needed = static_cast<double>(bytes) + spare;
    if (free_bytes >= needed) {
        return;
    }
    throw ClusterError{
        fmt::format("{} does not fit into this node's shared memory", what_for),
        fmt::format("{} needed, {} free in {}", human_bytes(static_cast<std::int64_t>(needed)),
                    human_bytes(static_cast<std::int64_t>(free_bytes)), directory),
        "Make it larger (mount -o remount,size=..., docker --shm-size), choose a smaller "
        "noise.table_size, or, with Open MPI, set --mca osc_sm_backing_directory to a folder on a "
        "larger file system."};
}

}  // namespace mees
