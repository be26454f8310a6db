#include "mees/cluster/mpi.hpp"

#include "mees/core/error.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace mees {

void check_mpi(int code, char const* doing)
{
    if (code == MPI_SUCCESS) {
        return;
    }
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    MPI_Error_string(code, text.data(), &length);
    throw ClusterError{fmt::format("MPI failed while {}", doing),
                       std::string_view{text.data(), static_cast<std::size_t>(length)},
                       "see the MPI library's own messages, and whether mees_bench protocol works "
                       "on these nodes"};
}

}  // namespace mees
