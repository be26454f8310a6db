#include "mees/benchmark/detail/ceiling.hpp"

#include "mees/benchmark/measure.hpp"
#include "mees/core/error.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

namespace mees::bench {
namespace {

/// What the processes share.
struct Counters {
    std::atomic<std::int64_t> next{0};
    std::atomic<std::int64_t> ready{0};
    std::atomic<double> last_end{0};
};

Error failure()
{
    return {ExitCode::failure, "cannot measure protocol", "one of its processes failed",
            "Reduce the number of ranks."};
}

class SharedCounters {
  public:
    SharedCounters()
        : memory_{mmap(nullptr, sizeof(Counters), PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0)}
    {
        if (memory_ == MAP_FAILED) {
            throw failure();
        }
        counters_ = new (memory_) Counters;
    }
    ~SharedCounters() { munmap(memory_, sizeof(Counters)); }
    SharedCounters(SharedCounters const&) = delete;
    SharedCounters& operator=(SharedCounters const&) = delete;

    [[nodiscard]] Counters& operator*() const { return *counters_; }

  private:
    void* memory_;
    Counters* counters_;
};

/// Holds processes back until it is opened, or until the process that made it ends.
class Gate {
  public:
    Gate()
    {
        if (pipe(ends_.data()) != 0) {
            throw failure();
        }
    }
    ~Gate()
    {
        open();
        close(ends_[0]);
    }
    Gate(Gate const&) = delete;
    Gate& operator=(Gate const&) = delete;

    void open()
    {
        if (ends_[1] >= 0) {
            close(ends_[1]);
            ends_[1] = -1;
        }
    }
    /// In a process that was forked after the gate was made.
    void wait()
    {
        open();
        char byte = 0;
        while (read(ends_[0], &byte, 1) < 0 && errno == EINTR) {
        }
    }

  private:
    std::array<int, 2> ends_{};
};

void raise(std::atomic<double>& value, double to)
{
    double seen = value;
    while (seen < to && !value.compare_exchange_weak(seen, to)) {
    }
}

/// Maps all pages of the table, as they are in ranks that have run for a while.
void touch(std::span<float const> noise)
{
    constexpr std::size_t page = 4096 / sizeof(float);
    float volatile sink = 0;
    for (std::size_t i = 0; i < noise.size(); i += page) {
        sink = noise[i];
    }
    (void)sink;
}

void run_episodes(RolloutSetup const& setup, Batch const& batch, std::span<float const> noise,
                  Counters& counters, Gate& gate)
{
    EpisodeRunner runner{setup, noise};
    std::vector<double> bc(setup.domains.front()->spec().bc_names.size());
    auto const episodes = batch.episodes();
    touch(noise);
    (void)runner.run(episode_of(batch, 0), bc, [] { return false; });
    ++counters.ready;
    gate.wait();
    for (auto i = counters.next++; i < episodes; i = counters.next++) {
        (void)runner.run(episode_of(batch, i), bc, [] { return false; });
    }
    raise(counters.last_end, wall_seconds());
}

/// Never returns.
[[noreturn]] void be_worker(auto const& work)
{
    try {
        work();
    } catch (...) {
        _exit(EXIT_FAILURE);
    }
    _exit(EXIT_SUCCESS);
}

bool has_ended(pid_t process, int options, bool& failed)
{
    int status = 0;
    if (waitpid(process, &status, options) != process) {
        return false;
    }
    failed = failed || !WIFEXITED(status) || WEXITSTATUS(status) != EXIT_SUCCESS;
    return true;
}

}  // namespace

double seconds_without_messages(RolloutSetup const& setup, Batch const& batch,
                                std::span<float const> noise, int workers)
{
    SharedCounters const counters;
    Gate gate;
    std::vector<pid_t> processes;
    bool failed = false;
    for (int i = 0; i < workers && !failed; ++i) {
        auto const process = fork();
        if (process == 0) {
            be_worker([&] { run_episodes(setup, batch, noise, *counters, gate); });
        }
        failed = process < 0;
        if (!failed) {
            processes.push_back(process);
        }
    }
    while (!failed && (*counters).ready < workers) {
        usleep(1000);
        std::erase_if(processes, [&](pid_t one) { return has_ended(one, WNOHANG, failed); });
    }
    double const begin = wall_seconds();
    gate.open();
    for (auto const process : processes) {
        (void)has_ended(process, 0, failed);
    }
    if (failed) {
        throw failure();
    }
    return (*counters).last_end - begin;
}

}  // namespace mees::bench
