#include "mees/cluster/detail/process.hpp"

#include "mees/cluster/runtime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include <fcntl.h>
#include <poll.h>
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
constexpr auto check_interval = std::chrono::milliseconds{300};

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

/// Of a process: the fields of /proc/PID/stat that are needed here.
struct ProcessStatus {
    std::string name;
    char state{'\0'};  ///< 'Z': ended, but its parent has not waited for it; none: unknown process
    pid_t parent{0};
};

ProcessStatus status_of(std::int64_t process)
{
    std::ifstream file{fmt::format("/proc/{}/stat", process)};
    std::string text;
    std::getline(file, text);  // not through its buffer: that throws if the process ends meanwhile
    auto const open = text.find('(');
    auto const close = text.rfind(')');
    if (open == std::string::npos || close == std::string::npos || close + 4 > text.size()) {
        return {};
    }
    // "pid (name) state parent ..."
    return {text.substr(open + 1, close - open - 1), text[close + 2],
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
        auto const status = status_of(pid);
        if (is_launcher(status.name)) {
            return pid;
        }
        pid = status.parent;
    }
    return std::nullopt;
}

void exit_after(pid_t launcher)
{
    std::thread{[launcher] {
        while (is_launcher(status_of(launcher).name)) {
            std::this_thread::sleep_for(check_interval);
        }
        std::raise(SIGKILL);
    }}.detach();
}

constexpr std::array crash_signals{SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

// Globals, because a signal handler can reach nothing else.
std::array<char, 512> announcement{};
std::array<struct sigaction, crash_signals.size()> former_actions{};

void write_text(char const* text)
{
    (void)!write(STDERR_FILENO, text, std::strlen(text));
}

/// Calls only functions that are safe in a signal handler. A pipe that no process reads must not
/// prevent the end; one that is ready has room for some kilobytes.
void announce(int signal)
{
    constexpr int patience = 1000;  // ms
    pollfd stream{STDERR_FILENO, POLLOUT, 0};
    if (poll(&stream, 1, patience) > 0) {
        write_text(announcement.data());
        write_text(sigabbrev_np(signal));
        write_text("\n");
    } else if (int const nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0) {
        dup2(nowhere, STDERR_FILENO);  // for what the previous action writes
    }
    for (std::size_t i = 0; i < crash_signals.size(); ++i) {
        if (crash_signals[i] == signal) {
            sigaction(signal, &former_actions[i], nullptr);
        }
    }
    std::raise(signal);  // pending until this handler returns
}

}  // namespace

std::string processor_model()
{
    std::ifstream file{"/proc/cpuinfo"};
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("model name") || line.starts_with("CPU part")) {
            return line.substr(std::min(line.find(':') + 2, line.size()));
        }
    }
    return {};
}

std::string kernel_identity()
{
    std::ifstream file{"/proc/sys/kernel/random/boot_id"};
    std::string boot;
    std::getline(file, boot);
    std::error_code ignored;
    return boot + std::filesystem::read_symlink("/proc/self/ns/pid", ignored).string();
}

bool process_runs(std::int64_t process)
{
    auto const state = status_of(process).state;
    return state != '\0' && state != 'Z';
}

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

int cores_here()
{
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

double slowness_of(int ranks_of_node)
{
    constexpr double harmless = 8;  // ranks of a core
    return std::max(1.0, static_cast<double>(ranks_of_node) / (harmless * cores_here()));
}

int ranks_here_from_environment()
{
    for (char const* variable :
         {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_NTASKS_PER_NODE"}) {
        if (auto const ranks = number_in(variable)) {
            return std::max(*ranks, 1);
        }
    }
    return 1;
}

int rank_of_node_from_environment()
{
    for (char const* variable :
         {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"}) {
        if (auto const rank = number_in(variable)) {
            return *rank;
        }
    }
    return 0;
}

void exit_with_launcher()
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
        exit_after(*launcher);
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
                fmt::format("{} is {}, but MPI reports 1 rank", variable, *started),
                fmt::format("Start it with `srun --mpi=pmix`, or with the mpirun of the MPI "
                            "library it was built with: {}.",
                            mpi_library_version())};
        }
    }
}

void announce_crashes(int rank, std::string_view host)
{
    auto const written = fmt::format_to_n(announcement.data(), announcement.size() - 1,
                                          "{}: error: rank {} on host {} died of SIG",
                                          program_invocation_short_name, rank, host);
    *written.out = '\0';
    struct sigaction action = {};
    action.sa_handler = announce;
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < crash_signals.size(); ++i) {
        sigaction(crash_signals[i], &action, &former_actions[i]);
    }
}

}  // namespace mees
