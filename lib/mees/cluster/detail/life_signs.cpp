#include "mees/cluster/detail/life_signs.hpp"

#include "mees/cluster/detail/process.hpp"

#include <algorithm>
#include <utility>

namespace mees {
namespace {

constexpr double suspicious_seconds = 0.3;

}  // namespace

void RunningEpisodes::add(std::int64_t episode)
{
    auto const count = count_.load(std::memory_order_relaxed);
    if (count < capacity) {
        episodes_[count] = static_cast<std::uint32_t>(episode);
        count_.store(count + 1, std::memory_order_release);
    }
}

void RunningEpisodes::remove(std::int64_t episode)
{
    auto const count = count_.load(std::memory_order_relaxed);
    auto* const end = episodes_ + count;
    auto* const place = std::find(episodes_, end, static_cast<std::uint32_t>(episode));
    if (place != end) {
        *place = end[-1];  // listed twice for a moment
        count_.store(count - 1, std::memory_order_release);
    }
}

std::vector<std::int64_t> RunningEpisodes::list() const
{
    auto const count = std::min<std::size_t>(count_.load(std::memory_order_acquire), capacity);
    std::vector<std::int64_t> all(episodes_, episodes_ + count);
    std::ranges::sort(all);
    auto const repeated = std::ranges::unique(all);
    all.erase(repeated.begin(), repeated.end());
    return all;
}

double AwakeClock::step()
{
    auto const now = std::chrono::steady_clock::now();
    auto const passed = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    return std::min(passed, 1.0);
}

NodeWatch::NodeWatch(std::span<LifeSign const> signs) : signs_{signs}, seen_(signs.size()) {}

Suspect NodeWatch::look(double seconds)
{
    Suspect worst;
    for (std::size_t i = 1; i < signs_.size(); ++i) {
        auto const& sign = signs_[i];
        auto& seen = seen_[i];
        auto const beats = sign.beats.load(std::memory_order_relaxed);
        seen.silent_seconds = beats == seen.beats ? seen.silent_seconds + seconds : 0;
        seen.beats = beats;
        if (seen.silent_seconds < suspicious_seconds) {
            continue;
        }
        bool const ended = sign.kernel == signs_.front().kernel && !process_runs(sign.process);
        Suspect suspect{sign.rank, ended ? 1U : 0U, seen.silent_seconds, {}};
        if (worst.rank < 0 || worst.less_alarming_than(suspect)) {
            if (ended) {
                suspect.episodes = sign.episodes.list();
            }
            worst = std::move(suspect);
        }
    }
    return worst;
}

void NodeWatch::restart()
{
    for (auto& seen : seen_) {
        seen.silent_seconds = 0;
    }
}

}  // namespace mees
