#include "mees/cluster/launcher.hpp"

#include "mees/cluster/runtime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include <sys/prctl.h>
#include <unistd.h>

namespace mees {
namespace {

constexpr std::array rank_variables{"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                    "SLURM_PROCID"};
constexpr std::array size_variables{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
constexpr std::array launcher_names{"mpirun",  "mpiexec",    "orterun",       "orted",
                                    "prterun", "prted",      "mpiexec.hydra", "hydra_pmi_proxy",
                                    "srun",    "slurmstepd", "prte"};
constexpr auto look_interval = std::chrono::milliseconds{300};

std::optional<int> number_in(char const* variable)
{
    char const* text = std::getenv(variable);
    int value = 0;
    if (text == nullptr
        || std::from_chars(text, text + std::strlen(text), value).ec != std::errc{}) {
        return std::nullopt;
    }
    return value;
}

struct Process {
    std::string name;
    pid_t parent{0};
};

Process look_at(pid_t pid)
{
    std::ifstream file{fmt::format("/proc/{}/stat", pid)};
    std::string text;
    std::getline(file, text);
    auto const open = text.find('(');
    auto const close = text.rfind(')');
    if (open == std::string::npos || close == std::string::npos || close + 4 > text.size()) {
        return {};
    }
    // "pid (name) state parent ..."
    return {text.substr(open + 1, close - open - 1),
            static_cast<pid_t>(std::atol(text.c_str() + close + 4))};
}

bool is_launcher(std::string const& name)
{
    return std::ranges::any_of(launcher_names, [&](char const* known) { return name == known; });
}

/// The nearest ancestor that is a launcher.
std::optional<pid_t> find_launcher()
{
    constexpr int deepest = 16;
    auto pid = getppid();
    for (int depth = 0; depth < deepest && pid > 1; ++depth) {
        auto const process = look_at(pid);
        if (is_launcher(process.name)) {
            return pid;
        }
        pid = process.parent;
    }
    return std::nullopt;
}

void watch(pid_t launcher)
{
    std::thread{[launcher] {
        while (is_launcher(look_at(launcher).name)) {
            std::this_thread::sleep_for(look_interval);
        }
        std::raise(SIGKILL);
    }}.detach();
}

}  // namespace

int rank_from_environment()
{
    for (char const* variable : rank_variables) {
        if (auto const rank = number_in(variable)) {
            return *rank;
        }
    }
    return 0;
}

bool started_by_launcher()
{
    constexpr std::array signs{"OMPI_COMM_WORLD_SIZE", "PMIX_NAMESPACE", "PMIX_RANK", "PMI_RANK",
                               "PMI_SIZE"};
    return std::ranges::any_of(signs,
                               [](char const* sign) { return std::getenv(sign) != nullptr; });
}

void tie_to_launcher()
{
    auto const launcher = find_launcher();
    if (!launcher) {
        return;
    }
    if (*launcher == getppid()) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != *launcher) {
            std::raise(SIGKILL);
        }
    } else {
        watch(*launcher);
    }
}

void refuse_singletons(int world_size)
{
    if (world_size > 1) {
        return;
    }
    for (char const* variable : size_variables) {
        auto const started = number_in(variable);
        if (started.value_or(1) > 1) {
            throw ClusterError{
                fmt::format("this is one of {} processes that do not see each other", *started),
                fmt::format("{} says {}, MPI says 1 rank", variable, *started),
                "start it with `srun --mpi=pmix` or with the mpirun of the MPI library it was "
                "built "
                "with: "
                    + mpi_library_version()};
        }
    }
}

}  // namespace mees
