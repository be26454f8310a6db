#include "mees/core/process.hpp"

#include "mees/core/error.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace mees {
namespace {

/// Default signal actions, no output on stderr, and SIGALRM after this many seconds.
void prepare_child(unsigned seconds)
{
    for (int const signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGALRM}) {
        std::signal(signal, SIG_DFL);
    }
    if (int const null_device = ::open("/dev/null", O_WRONLY | O_CLOEXEC); null_device >= 0) {
        ::dup2(null_device, STDERR_FILENO);
    }
    ::alarm(seconds);
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

bool completes_in_subprocess(std::function<void()> const& work, unsigned seconds)
{
    pid_t const child = ::fork();
    if (child < 0) {
        return true;  // no process could be started
    }
    if (child == 0) {
        prepare_child(seconds);
        try {
            work();
        } catch (FileError const&) {
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
