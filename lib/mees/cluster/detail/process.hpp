#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mees {

/// "Intel(R) Xeon(R) ...": the processor's model, as the kernel reports it.
[[nodiscard]] std::string processor_model();
/// Equal on processes that can see each other under /proc.
[[nodiscard]] std::string kernel_identity();
/// Whether a process of this kernel exists and has not ended.
[[nodiscard]] bool process_runs(std::int64_t process);

/// Ends this process as soon as the launcher that started it (mpirun, its daemon, a SLURM step) has
/// ended, even with a shell between the two. No effect where no launcher started it.
void exit_with_launcher();

/// Whether a launcher that MPI can connect to started this process; without one, MPI is not
/// started.
[[nodiscard]] bool started_by_launcher();

[[nodiscard]] int cores_here();
/// Above 1 where many ranks share a core: bounds on waiting are multiplied by it.
[[nodiscard]] double slowness_of(int ranks_of_node);

/// How many processes the launcher started on this node; 1 if it does not say.
[[nodiscard]] int ranks_here_from_environment();

/// The rank among the processes of this node; 0 if the launcher does not say.
[[nodiscard]] int rank_of_node_from_environment();

/// Throws ClusterError if a launcher started several processes but MPI sees only one.
void refuse_singletons(int world_size);

/// From now on a signal that ends this process by its own fault (an abort, an invalid address)
/// first writes "PROGRAM: error: rank R on host H died of SIGABRT" to stderr; the signal's previous
/// action follows. Not every launcher reports which rank it was.
void announce_crashes(int rank, std::string_view host);

}  // namespace mees
