#include "mees/core/stop.hpp"

#include "mees/core/error.hpp"

#include <fmt/format.h>

#include <semaphore.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <utility>

namespace mees {
namespace {

// Globals, because a signal handler can access nothing else.
std::atomic<int> recorded_signal{0};
static_assert(std::atomic<int>::is_always_lock_free);
std::atomic<unsigned> continued{0};
static_assert(std::atomic<unsigned>::is_always_lock_free);
std::atomic<bool> polled{false};
static_assert(std::atomic<bool>::is_always_lock_free);

constexpr auto check_interval = std::chrono::milliseconds{200};

/// What wakes `wait_for_signal`: sem_post is allowed in signal handlers.
class Bell {
  public:
    Bell() { sem_init(&semaphore_, 0, 0); }
    void ring() { sem_post(&semaphore_); }
    void wait(std::chrono::milliseconds longest)
    {
        timespec end{};
        clock_gettime(CLOCK_MONOTONIC, &end);
        auto const nanoseconds = end.tv_nsec + longest.count() % 1000 * 1'000'000;
        end.tv_sec += longest.count() / 1000 + nanoseconds / 1'000'000'000;
        end.tv_nsec = nanoseconds % 1'000'000'000;
        if (sem_clockwait(&semaphore_, CLOCK_MONOTONIC, &end) == 0) {
            while (sem_trywait(&semaphore_) == 0) {
            }
        }
    }

  private:
    sem_t semaphore_{};
};

Bell bell;

void handle_continuation(int /*signal*/)
{
    int const saved_errno = errno;
    continued.fetch_add(1, std::memory_order_relaxed);
    bell.ring();
    errno = saved_errno;
}

void handle(int signal)
{
    bool const ends_at_once = signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
    if (ends_at_once && !polled.load(std::memory_order_relaxed)) {
        ::_exit(static_cast<int>(ExitCode::stopped_early));
    }
    note_signal(signal);
}

bool is_ignored(int signal)
{
    struct sigaction present = {};
    return sigaction(signal, nullptr, &present) == 0 && present.sa_handler == SIG_IGN;
}

}  // namespace

void note_signal(int signal)
{
    int const saved_errno = errno;
    recorded_signal.store(signal, std::memory_order_relaxed);
    bell.ring();
    errno = saved_errno;
}

unsigned continuations()
{
    return continued.load(std::memory_order_relaxed);
}

void wait_for_signal(std::chrono::milliseconds longest)
{
    bell.wait(longest);
}

void end_wait_for_signal()
{
    bell.ring();
}

void install_signal_handlers()
{
    struct sigaction action = {};
    action.sa_handler = handle;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    for (int const signal : {SIGUSR1, SIGUSR2, SIGTERM, SIGINT, SIGHUP, SIGXCPU, SIGPWR}) {
        if (signal != SIGHUP || !is_ignored(SIGHUP)) {
            sigaction(signal, &action, nullptr);
        }
    }
    action.sa_handler = handle_continuation;
    sigaction(SIGCONT, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
}

void signals_are_polled()
{
    polled.store(true, std::memory_order_relaxed);
}

int received_signal()
{
    return recorded_signal.load(std::memory_order_relaxed);
}

StopToken::StopToken(std::optional<TimeLimit> limit, std::filesystem::path stop_file)
    : limit_{limit}, stop_file_{std::move(stop_file)}
{
}

bool StopToken::is_late(Clock::time_point now) const
{
    if (!limit_) {
        return false;
    }
    using Seconds = std::chrono::duration<double>;
    Seconds const reserved{reserved_ ? reserved_() : 0.0};
    return limit_->end - now <= std::max<Seconds>(limit_->margin, reserved);
}

bool StopToken::requested()
{
    if (reason_ != StopReason::none) {
        return true;
    }
    if (int const signal = received_signal(); signal != 0) {
        signal_ = signal;
        reason_ = StopReason::signal;
        return true;
    }
    auto const now = Clock::now();
    if (now < next_check_) {
        return false;
    }
    next_check_ = now + check_interval;
    if (is_late(now)) {
        reason_ = StopReason::time_limit;
    } else if (std::error_code ignored;
               !stop_file_.empty() && std::filesystem::exists(stop_file_, ignored)) {
        reason_ = StopReason::stop_file;
    }
    return reason_ != StopReason::none;
}

std::string StopToken::describe() const
{
    switch (reason_) {
        case StopReason::signal:
            return fmt::format("signal SIG{}", sigabbrev_np(signal_));
        case StopReason::time_limit:
            return "the time limit";
        case StopReason::stop_file:
            return fmt::format("the file {}", stop_file_.string());
        case StopReason::none:
            break;
    }
    return "nothing";
}

}  // namespace mees
