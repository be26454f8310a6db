#include "mees/rollout/threads.hpp"

#include "mees/core/error.hpp"
#include "mees/core/process.hpp"
#include "mees/core/stopwatch.hpp"
#include "mees/core/threads.hpp"
#include "mees/es/gradient.hpp"
#include "mees/qd/novelty_archive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace mees {
namespace {

constexpr auto stop_poll_interval = std::chrono::milliseconds{10};

/// A batch that several threads work on at once. Each takes the next episode; the first failure,
/// like a stop, makes all of them drop their episodes.
class SharedWork {
  public:
    SharedWork(Batch const& batch, std::int64_t bc_size, std::size_t threads)
        : batch_{batch}, episodes_{batch.episodes()}, result_{episodes_, bc_size}, busy_{threads}
    {
    }

    void work(EpisodeSet& episodes)
    {
        AbortCheck const aborted = [this] { return abort_.load(std::memory_order_relaxed); };
        EpisodeQueue const queue{
            [this, &aborted] { return aborted() ? std::nullopt : next_episode(); },
            [this](std::int64_t episode) { return episode_of(batch_, episode); },
            [this](auto episode, auto const& outcome, auto bc, auto const* observations) {
                store(episode, outcome, bc, observations);
            }};
        try {
            static_cast<void>(episodes.run(queue, aborted));
        } catch (SimulationError const& error) {
            auto const running = episodes.current();
            fail(std::make_exception_ptr(
                     SimulationError{fmt::format("rank 0 on host {} failed in {}", host_name(),
                                                 name_episodes(running)),
                                     error.what(), ""}),
                 running.front());
        } catch (...) {
            fail(std::current_exception(), episodes.current().front());
        }
        leave();
    }

    /// Waits until all threads are done; makes them drop their episodes if a stop is requested.
    void supervise(StopToken& stop, std::function<void()> const& while_waiting)
    {
        while (!all_done()) {
            if (stop.requested()) {
                abort_ = true;
            }
            while_waiting();
        }
    }

    /// Makes all threads drop their episodes.
    void cancel() { abort_ = true; }

    [[nodiscard]] std::optional<BatchResult> take()
    {
        if (failure_) {
            std::rethrow_exception(failure_);
        }
        if (abort_) {
            return std::nullopt;
        }
        std::ranges::sort(result_.observations, {}, &SampledObservations::episode);
        return std::move(result_);
    }

  private:
    [[nodiscard]] std::optional<std::int64_t> next_episode()
    {
        auto const episode = next_.fetch_add(1, std::memory_order_relaxed);
        return episode < episodes_ ? std::optional{episode} : std::nullopt;
    }
    void store(std::int64_t episode, EpisodeOutcome const& outcome, std::span<double const> bc,
               ObservationMoments const* observations)
    {
        result_.outcomes[static_cast<std::size_t>(episode)] = outcome;
        std::ranges::copy(bc, result_.bc(episode).begin());
        if (observations != nullptr) {
            std::lock_guard const lock{mutex_};
            result_.observations.push_back({episode, *observations});
        }
    }
    [[nodiscard]] bool all_done()
    {
        std::unique_lock lock{mutex_};
        return done_.wait_for(lock, stop_poll_interval, [this] { return busy_ == 0; });
    }
    void fail(std::exception_ptr failure, std::int64_t episode)
    {
        std::lock_guard const lock{mutex_};
        if (!failure_ || episode < failed_episode_) {
            failure_ = std::move(failure);
            failed_episode_ = episode;
        }
        abort_ = true;
    }
    void leave()
    {
        std::lock_guard const lock{mutex_};
        if (--busy_ == 0) {
            done_.notify_all();
        }
    }

    Batch const& batch_;
    std::int64_t episodes_;
    BatchResult result_;
    std::size_t busy_;
    std::atomic<std::int64_t> next_{0};
    std::atomic<bool> abort_{false};
    std::mutex mutex_;
    std::condition_variable done_;
    std::exception_ptr failure_;
    std::int64_t failed_episode_{0};
};

}  // namespace

unsigned thread_count(unsigned asked)
{
    return asked > 0 ? asked : std::max(1U, std::thread::hardware_concurrency());
}

ThreadEvaluator::ThreadEvaluator(RolloutSetup const& setup, std::span<float const> noise,
                                 unsigned threads)
    : bc_size_{static_cast<std::int64_t>(setup.domains.at(0)->spec().bc_names.size())}
{
    expects(threads > 0, "at least one thread");
    sets_.reserve(threads);
    for (unsigned i = 0; i < threads; ++i) {
        sets_.emplace_back(setup, noise);
    }
    waiting_.resize(threads);
}

std::optional<BatchResult> ThreadEvaluator::evaluate(Batch const& batch, StopToken& stop)
{
    if (stop.requested()) {
        return std::nullopt;
    }
    auto const useful = static_cast<std::size_t>(std::max<std::int64_t>(
        1, std::min<std::int64_t>(static_cast<std::int64_t>(sets_.size()), batch.episodes())));
    SharedWork work{batch, bc_size_, useful};
    Stopwatch whole;
    std::vector<double> busy(sets_.size());
    {
        std::vector<std::jthread> pool;
        try {
            for (std::size_t i = 0; i < useful; ++i) {
                start_thread(pool, [&work, &busy, this, i] {
                    Stopwatch own;
                    work.work(sets_[i]);
                    busy[i] = own.seconds();
                });
            }
        } catch (...) {
            work.cancel();
            throw;
        }
        work.supervise(stop, [this] { work_while_waiting(); });
    }
    double const seconds = whole.seconds();
    for (std::size_t i = 0; i < busy.size(); ++i) {
        waiting_[i] += std::max(0.0, seconds - busy[i]);
    }
    return work.take();
}

std::vector<WorkerTiming> ThreadEvaluator::timing() const
{
    std::vector<WorkerTiming> result;
    for (std::size_t i = 0; i < sets_.size(); ++i) {
        result.push_back(sets_[i].timing());
        result.back().name = fmt::format("thread {}", i);
        result.back().waiting = waiting_[i];
    }
    return result;
}

ThreadNoise::ThreadNoise(std::span<float const> values, unsigned threads)
    : values_{values}, threads_{threads}
{
    expects(threads > 0, "at least one thread");
}

Eigen::VectorXf ThreadNoise::weighted_sum(std::span<NoiseOffset const> offsets,
                                          std::span<float const> weights, std::int64_t size)
{
    Eigen::VectorXf sums(size);
    auto const threads = static_cast<std::int64_t>(threads_);
    std::vector<std::jthread> pool;
    for (std::int64_t i = 0; i < threads; ++i) {
        auto const begin = size * i / threads;
        auto const end = size * (i + 1) / threads;
        auto const part = std::span{sums.data() + begin, static_cast<std::size_t>(end - begin)};
        start_thread(pool, [this, offsets, weights, begin, part] {
            sum_weighted_noise(values_, offsets, weights, begin, part);
        });
    }
    pool.clear();
    return sums;
}

std::vector<double> ThreadNoise::novelties(NoveltyArchive const& archive,
                                           std::span<double const> bcs)
{
    return archive.novelties(bcs);
}

}  // namespace mees
