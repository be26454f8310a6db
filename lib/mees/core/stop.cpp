#include "mees/core/stop.hpp"

#include <fmt/format.h>

#include <csignal>
#include <cstring>
#include <utility>

namespace mees {
namespace {

// A global, because a signal handler can access nothing else.
std::atomic<int> recorded_signal{0};
static_assert(std::atomic<int>::is_always_lock_free);

constexpr auto check_interval = std::chrono::milliseconds{200};

}  // namespace

void note_signal(int signal)
{
    recorded_signal.store(signal, std::memory_order_relaxed);
}

void install_signal_handlers()
{
    struct sigaction action = {};
    action.sa_handler = note_signal;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    for (int const signal : {SIGUSR1, SIGUSR2, SIGTERM, SIGINT}) {
        sigaction(signal, &action, nullptr);
    }
    std::signal(SIGPIPE, SIG_IGN);
}

int received_signal()
{
    return recorded_signal.load(std::memory_order_relaxed);
}

StopToken::StopToken(std::optional<Clock::time_point> deadline, std::filesystem::path stop_file)
    : deadline_{deadline}, stop_file_{std::move(stop_file)}
{
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
    if (deadline_ && now >= *deadline_) {
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
