#include "mees/cluster/detail/waiting.hpp"

#include <algorithm>
#include <ctime>
#include <thread>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace mees {
namespace {

constexpr auto first_sleep = std::chrono::microseconds{20};

void relax_core()
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

}  // namespace

WaitPolicy WaitPolicy::for_node(int ranks, int cores)
{
    using std::chrono::microseconds;
    return ranks <= cores ? WaitPolicy{microseconds{50}, microseconds{200}}
                          : WaitPolicy{microseconds{0}, microseconds{1000}};
}

double coarse_seconds()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void Backoff::pause()
{
    if (sleep_.count() == 0) {
        if (Clock::now() - began_ < policy_.spin) {
            relax_core();
            return;
        }
        sleep_ = first_sleep;
    }
    std::this_thread::sleep_for(sleep_);
    sleep_ = std::min(sleep_ + sleep_ / 2, policy_.longest_sleep);
}

void sleep_while_equal(std::atomic<std::uint32_t> const& word, std::uint32_t expected,
                       std::chrono::milliseconds longest)
{
    timespec const timeout{.tv_sec = longest.count() / 1000,
                           .tv_nsec = longest.count() % 1000 * 1'000'000};
    syscall(SYS_futex, &word, FUTEX_WAIT, expected, &timeout, nullptr, 0);
}

void wake_sleepers(std::atomic<std::uint32_t> const& word, int count)
{
    syscall(SYS_futex, &word, FUTEX_WAKE, count, nullptr, nullptr, 0);
}

}  // namespace mees
