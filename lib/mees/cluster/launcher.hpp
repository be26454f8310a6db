#pragma once

namespace mees {

/// Makes this process end as soon as the launcher that started it (mpirun, its daemon, a SLURM
/// step) is gone, even if a shell stands between the two. Does nothing where no launcher started
/// it.
void tie_to_launcher();

/// Whether a launcher that MPI can talk to started this process; without one, MPI is not started.
[[nodiscard]] bool started_by_launcher();

/// Throws ClusterError if a launcher started several processes of which MPI sees one only.
void refuse_singletons(int world_size);

}  // namespace mees
