#pragma once

#include "mees/cluster/detail/mpi.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace mees {

inline constexpr std::int64_t cache_line = 64;

/// Memory that all ranks of a node read and write. Collective on the node to construct and to
/// destroy; while an exception unwinds, or after an MPI failure, the destructor leaves the memory
/// allocated instead. Begins at a multiple of a cache line.
class SharedMemory {
  public:
    SharedMemory() = default;
    SharedMemory(MPI_Comm node, std::int64_t bytes);
    ~SharedMemory();
    SharedMemory(SharedMemory&& other) noexcept;
    SharedMemory& operator=(SharedMemory&& other) noexcept;
    SharedMemory(SharedMemory const&) = delete;
    SharedMemory& operator=(SharedMemory const&) = delete;

    [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }
    /// Makes visible here what other ranks have written before a message of theirs.
    void synchronise() const;

  private:
    MPI_Win window_{MPI_WIN_NULL};
    std::span<std::byte> bytes_;
};

/// Throws ClusterError unless this node has `bytes` of shared memory left.
void require_shared_memory(std::int64_t bytes, char const* what_for);

/// Before MPI is started, whose own messages may not name the cause: warns of a small limit of this
/// process's memory and, on the first rank of a node, of little shared memory.
void warn_of_little_memory(int rank, int rank_of_node, std::string_view host);

}  // namespace mees
