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

void close_all_but(int a, int b, int c)
{
    std::array<int, 3> kept{a, b, c};
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

/// Collects children that have ended; whether there are others. Notes the program's status.
bool reap(pid_t program, int& status, bool& ended)
{
    for (;;) {
        int one = 0;
        pid_t const child = ::waitpid(-1, &one, WNOHANG);
        if (child <= 0) {
            return child == 0;
        }
        if (child == program) {
            status = one;
            ended = true;
        }
    }
}

void wait_for_end(int lifeline, int children, pid_t program, int& status, bool& ended)
{
    while (!ended) {
        std::array<pollfd, 2> ready{pollfd{lifeline, POLLIN, 0}, pollfd{children, POLLIN, 0}};
        if (::poll(ready.data(), ready.size(), -1) < 0) {
            continue;
        }
        if (ready[0].revents != 0) {
            return;
        }
        std::array<char, sizeof(signalfd_siginfo)> ignored{};
        (void)!::read(children, ignored.data(), ignored.size());
        reap(program, status, ended);
    }
}

}  // namespace

void guard(WardenTask const& given)
{
    sigset_t all;
    sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
    ::setpgid(0, 0);
    ::prctl(PR_SET_NAME, "mees_warden");
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    auto task = given;
    int const lifeline = out_of_the_way(given.lifeline);
    int const news = out_of_the_way(given.news);
    task.channel = out_of_the_way(given.channel);
    task.output = out_of_the_way(given.output);
    pid_t const warden = ::getpid();
    pid_t const program = ::fork();
    if (program == 0) {
        become_program(task, news, warden);
    }
    if (program < 0) {
        tell(news, WardenNews::Kind::not_started, errno);
        ::_exit(1);
    }
    ::setpgid(program, program);
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    int const children = ::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    close_all_but(lifeline, news, children);
    tell(news, WardenNews::Kind::started, program);
    int status = 0;
    bool ended = false;
    wait_for_end(lifeline, children, program, status, ended);
    ::kill(-program, SIGKILL);
    for (int round = 0; reap(program, status, ended) && round < rounds_to_kill; ++round) {
        kill_children();
        timespec const pause{0, 1'000'000};
        ::nanosleep(&pause, nullptr);
    }
    tell(news, WardenNews::Kind::ended, status);
    ::_exit(0);
}

}  // namespace mees::process
