#include "catch.hpp"

#include "mees/cluster/detail/process.hpp"
#include "mees/cluster/runtime.hpp"

#include <cstdlib>

#include <sys/wait.h>
#include <unistd.h>

using namespace mees;

TEST_CASE("the rank that the launcher gave is known before MPI starts")
{
    setenv("PMIX_RANK", "12", 1);
    CHECK(rank_from_environment() == 12);
    unsetenv("PMIX_RANK");
    CHECK(rank_from_environment() == 0);
}

TEST_CASE("one of several processes that MPI does not connect is refused")
{
    refuse_singletons(1);
    setenv("SLURM_STEP_NUM_TASKS", "512", 1);
    refuse_singletons(512);
    auto const message = message_of<ClusterError>([] { refuse_singletons(1); });
    unsetenv("SLURM_STEP_NUM_TASKS");
    CHECK_THAT(message, Catch::Matchers::ContainsSubstring(
                            "one of 512 processes that do not see each other (SLURM_STEP_NUM_TASKS "
                            "is 512, but MPI reports 1 rank). Start it with `srun --mpi=pmix`"));
}

TEST_CASE("a process runs until it has ended, even if its parent has not waited for it")
{
    CHECK(process_runs(getpid()));
    auto const child = fork();
    if (child == 0) {
        _exit(0);
    }
    siginfo_t ended{};
    waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT);
    CHECK_FALSE(process_runs(child));
    waitpid(child, nullptr, 0);
    CHECK_FALSE(process_runs(child));
}
