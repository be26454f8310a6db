#include "mees/cluster/detail/shared_memory.hpp"

#include "mees/cluster/detail/watchdog.hpp"
#include "mees/core/error.hpp"
#include "mees/core/log.hpp"
#include "mees/core/text.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <sys/resource.h>
#include <sys/statvfs.h>

namespace mees {
namespace {

/// Where the MPI library keeps its shared windows.
std::string backing_directory()
{
    char const* chosen = std::getenv("OMPI_MCA_osc_sm_backing_directory");
    return chosen != nullptr ? chosen : "/dev/shm";
}

/// Nothing if it is unknown.
std::optional<std::int64_t> free_bytes_in(std::string const& directory)
{
    struct statvfs file_system = {};
    if (statvfs(directory.c_str(), &file_system) != 0) {
        return std::nullopt;
    }
    return static_cast<std::int64_t>(file_system.f_bavail)
           * static_cast<std::int64_t>(file_system.f_frsize);
}

/// What the MPI library itself uses.
constexpr std::int64_t spare_bytes = 8'000'000;

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
    auto const free_bytes = free_bytes_in(directory);
    if (!free_bytes || *free_bytes >= bytes + spare_bytes) {
        return;
    }
    throw ClusterError{
        fmt::format("{} does not fit into this node's shared memory", what_for),
        fmt::format("{} needed, {} free in {}", human_bytes(bytes + spare_bytes),
                    human_bytes(*free_bytes), directory),
        "Make it larger (mount -o remount,size=..., docker --shm-size), choose a smaller "
        "noise.table_size, or, with Open MPI, set --mca osc_sm_backing_directory to a folder on a "
        "larger file system."};
}

void warn_of_little_memory(int rank, int rank_of_node, std::string_view host)
{
    constexpr rlim_t usual_address_space = 1'000'000'000;
    rlimit limit = {};
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur < usual_address_space) {
        log::warning(
            "rank {} on host {} has a memory limit of {} (ulimit -v): MPI may fail to "
            "start. Raise the limit.",
            rank, host, human_bytes(static_cast<std::int64_t>(limit.rlim_cur)));
    }
    auto const free_bytes = free_bytes_in("/dev/shm");
    if (rank_of_node == 0 && free_bytes && *free_bytes < spare_bytes) {
        log::warning(
            "host {} has {} of shared memory free in /dev/shm: MPI may fail to start. "
            "Remove files that ended jobs left there, or make it larger.",
            host, human_bytes(*free_bytes));
    }
}

}  // namespace mees
