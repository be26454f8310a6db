#pragma once

// Only this module includes mpi.h, and only through this header.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

namespace mees {

/// Throws ClusterError if an MPI call failed; `doing` completes "MPI failed while ...".
void check_mpi(int code, char const* doing);

}  // namespace mees
