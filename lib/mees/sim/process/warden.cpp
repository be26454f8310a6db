#include "mees/sim/process/warden.hpp"

#include "mees/sim/process/protocol.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>

namespace mees::process {
namespace {

constexpr int first_free_descriptor = 10;
constexpr int last_signal = 31;
constexpr int exec_failed = 127;
constexpr unsigned close_on_exec = 4;  ///< CLOSE_RANGE_CLOEXEC of linux/close_range.h
constexpr int rounds_to_kill = 5000;   ///< of a millisecond

void tell(int descriptor, WardenNews::Kind kind, int value)
{
    WardenNews const news{kind, value};
    while (::write(descriptor, &news, sizeof news) < 0 && errno == EINTR) {
    }
}

/// A copy that `dup2` to small numbers does not overwrite.
int out_of_the_way(int descriptor)
{
    return ::fcntl(descriptor, F_DUPFD_CLOEXEC, first_free_descriptor);
}

template <std::size_t count>
void close_all_but(std::array<int, count> kept)
{
    for (auto& x : kept) {  // ascending
        for (auto& y : kept) {
            if (&x < &y && x > y) {
                int const swapped = x;
                x = y;
                y = swapped;
            }
        }
    }
    unsigned first = 0;
    for (int const descriptor : kept) {
        auto const here = static_cast<unsigned>(descriptor);
        if (first < here) {
            ::syscall(SYS_close_range, first, here - 1, 0U);
        }
        first = here + 1;
    }
    ::syscall(SYS_close_range, first, ~0U, 0U);
}

[[noreturn]] void become_program(WardenTask const& task, int news, pid_t warden)
{
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != warden) {
        ::_exit(exec_failed);
    }
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
    for (int signal = 1; signal <= last_signal; ++signal) {
        ::signal(signal, SIG_DFL);
    }
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::dup2(task.channel, request_descriptor);
    ::dup2(task.channel, reply_descriptor);
    ::dup2(task.output, STDOUT_FILENO);
    ::dup2(task.output, STDERR_FILENO);
    int const nothing = ::open("/dev/null", O_RDONLY);
    if (nothing > STDIN_FILENO) {
        ::dup2(nothing, STDIN_FILENO);
        ::close(nothing);
    }
    ::syscall(SYS_close_range, static_cast<unsigned>(reply_descriptor + 1), ~0U, close_on_exec);
    ::execvpe(task.arguments[0], task.arguments, task.environment);
    tell(news, WardenNews::Kind::not_started, errno);
    ::_exit(exec_failed);
}

/// Kills the children of this process, as the kernel lists them.
void kill_children()
{
    int const list = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    if (list < 0) {
        return;
    }
    std::array<char, 4096> text{};
    auto const size = ::read(list, text.data(), text.size() - 1);
    ::close(list);
    pid_t process = 0;
    for (ssize_t i = 0; i < size; ++i) {
        char const c = text[static_cast<std::size_t>(i)];
        if (c >= '0' && c <= '9') {
            process = process * 10 + (c - '0');
        } else if (process > 0) {
            ::kill(process, SIGKILL);
            process = 0;
        }
    }
}

/// A process whose end is awaited.
struct Awaited {
    pid_t process{0};
    bool ended{false};
    int status{0};  ///< as waitpid gives it
};

/// Collects children that have ended; whether there are others.
bool reap(Awaited& awaited)
{
    for (;;) {
        int status = 0;
        pid_t const child = ::waitpid(-1, &status, WNOHANG);
        if (child <= 0) {
            return child == 0;
        }
        if (child == awaited.process) {
            awaited.status = status;
            awaited.ended = true;
        }
    }
}

/// Until the process has ended, or the other side of one of the lifelines is closed.
void wait_for_end(Awaited& awaited, int children, int lifeline, int other_lifeline)
{
    while (!awaited.ended) {
        std::array<pollfd, 3> ready{pollfd{lifeline, POLLIN, 0}, pollfd{other_lifeline, POLLIN, 0},
                                    pollfd{children, POLLIN, 0}};
        if (::poll(ready.data(), ready.size(), -1) < 0) {
            continue;
        }
        if (ready[0].revents != 0 || ready[1].revents != 0) {
            return;
        }
        std::array<char, sizeof(signalfd_siginfo)> ignored{};
        (void)!::read(children, ignored.data(), ignored.size());
        reap(awaited);
    }
}

void pause_for_a_millisecond()
{
    timespec const pause{0, 1'000'000};
    ::nanosleep(&pause, nullptr);
}

/// Until there are none: processes that the killed ones had started become children of this one.
void kill_all_children(Awaited& awaited)
{
    for (int round = 0; reap(awaited) && round < rounds_to_kill; ++round) {
        kill_children();
        pause_for_a_millisecond();
    }
}

/// A process of its own group, which inherits the orphans below it and ignores signals.
void become_warden()
{
    sigset_t all;
    sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
    ::setpgid(0, 0);
    ::prctl(PR_SET_NAME, "mees_warden");
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/// Readable when a child has ended.
int ends_of_children()
{
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    return ::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
}

/// The inner warden, which starts the program. `outer` is readable when the outer one has ended.
[[noreturn]] void guard_program(WardenTask const& task, int outer)
{
    become_warden();
    pid_t const warden = ::getpid();
    pid_t const program = ::fork();
    if (program == 0) {
        become_program(task, task.news, warden);
    }
    if (program < 0) {
        tell(task.news, WardenNews::Kind::not_started, errno);
        ::_exit(1);
    }
    ::setpgid(program, program);
    int const children = ends_of_children();
    close_all_but(std::array{task.lifeline, task.news, children, outer});
    tell(task.news, WardenNews::Kind::started, program);
    Awaited awaited{program};
    wait_for_end(awaited, children, task.lifeline, outer);
    ::kill(-program, SIGKILL);
    kill_all_children(awaited);
    tell(task.news, WardenNews::Kind::ended, awaited.status);
    ::_exit(0);
}

}  // namespace

void guard(WardenTask const& given)
{
    become_warden();
    WardenTask task{out_of_the_way(given.lifeline),
                    out_of_the_way(given.news),
                    out_of_the_way(given.channel),
                    out_of_the_way(given.output),
                    given.arguments,
                    given.environment};
    std::array<int, 2> link{};  // only this process has its second end
    if (::pipe2(link.data(), O_CLOEXEC) != 0) {
        tell(task.news, WardenNews::Kind::not_started, errno);
        ::_exit(1);
    }
    link = {out_of_the_way(link[0]), out_of_the_way(link[1])};
    pid_t const inner = ::fork();
    if (inner == 0) {
        close_all_but(std::array{task.lifeline, task.news, task.channel, task.output, link[0]});
        guard_program(task, link[0]);
    }
    if (inner < 0) {
        tell(task.news, WardenNews::Kind::not_started, errno);
        ::_exit(1);
    }
    int const children = ends_of_children();
    close_all_but(std::array{task.lifeline, children, link[1]});
    Awaited awaited{inner};
    wait_for_end(awaited, children, task.lifeline, -1);
    // The inner warden does it: until it has, this one could be killed, and would be missed.
    for (int round = 0; reap(awaited) && !awaited.ended && round < rounds_to_kill; ++round) {
        pause_for_a_millisecond();
    }
    kill_all_children(awaited);
    ::_exit(0);
}

}  // namespace mees::process
