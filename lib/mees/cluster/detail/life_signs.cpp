#include "mees/cluster/detail/life_signs.hpp"

#include "mees/cluster/detail/process.hpp"

#include <algorithm>

namespace mees {
namespace {

constexpr double suspicious_seconds = 0.3;

}  // namespace

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
        Suspect const suspect{sign.rank, ended ? 1U : 0U, seen.silent_seconds,
                              sign.episode.load(std::memory_order_relaxed)};
        if (worst.rank < 0 || worst.less_alarming_than(suspect)) {
            worst = suspect;
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
