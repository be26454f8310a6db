#include "mees/core/process.hpp"

#include "mees/core/error.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>

namespace mees {
namespace {

/// The address space of this process; 0 if it is unknown.
std::uint64_t address_space()
{
    std::uint64_t pages = 0;
    std::ifstream{"/proc/self/statm"} >> pages;
    return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// Default signal actions, no output on stderr, no core file, and the limits.
void prepare_child(SubprocessLimits const& limits)
{
    for (int const signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGALRM, SIGTERM}) {
        std::signal(signal, SIG_DFL);
    }
    if (int const null_device = ::open("/dev/null", O_WRONLY | O_CLOEXEC); null_device >= 0) {
        ::dup2(null_device, STDERR_FILENO);
    }
    rlimit const no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    if (auto const present = address_space(); limits.more_bytes > 0 && present > 0) {
        rlimit memory = {};
        ::getrlimit(RLIMIT_AS, &memory);
        memory.rlim_cur = std::min<rlim_t>(memory.rlim_max, present + limits.more_bytes);
        ::setrlimit(RLIMIT_AS, &memory);
    }
    ::alarm(limits.seconds);
}

}  // namespace

std::string host_name()
{
    std::array<char, 256> name{};
    gethostname(name.data(), name.size() - 1);
    return name.data();
}

std::string process_origin()
{
    struct stat ids = {};
    return ::stat("/proc/self/ns/pid", &ids) == 0 ? fmt::format("{}.{:x}", host_name(), ids.st_ino)
                                                  : host_name();
}

bool completes_in_subprocess(std::function<void()> const& work, SubprocessLimits const& limits)
{
    pid_t const child = ::fork();
    if (child < 0) {
        return true;  // no process could be started
    }
    if (child == 0) {
        prepare_child(limits);
        try {
            work();
        } catch (Error const&) {
        } catch (...) {
            ::_exit(1);
        }
        ::_exit(0);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace mees
