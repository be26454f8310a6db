#include "mees/rollout/replayer.hpp"

#include "mees/core/error.hpp"
#include "mees/sim/recording/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <optional>
#include <utility>

namespace mees {

Replayer::Replayer(RolloutSetup setup, ControllerPtr controller, std::uint64_t seed)
    : setup_{std::move(setup)}, controller_{std::move(controller)}, seed_{seed}
{
}

ReplayedEpisode Replayer::run_one(EpisodeRunner& runner, std::int32_t episode,
                                  StepObserver const& observer) const
{
    Batch const batch{.seed = seed_, .groups = {replay_group(controller_, episode + 1)}};
    auto const& spec = setup_.domains.front()->spec();
    ReplayedEpisode replayed;
    replayed.bc.resize(spec.bc_names.size());
    replayed.terms.resize(spec.reward_terms.size());
    auto const outcome = runner.run(
        episode_of(batch, episode), replayed.bc, [] { return false; },
        [&](Task const& task, std::span<double const> action) {
            if (action.empty()) {
                std::ranges::fill(replayed.terms, 0.0);
            }
            for (std::size_t i = 0; i < replayed.terms.size() && !action.empty(); ++i) {
                replayed.terms[i] += task.diverged() ? 0 : task.terms()[i];
            }
            if (observer) {
                observer(task, action);
            }
        });
    replayed.outcome = outcome.value();
    return replayed;
}

std::vector<ReplayedEpisode> Replayer::run(std::int32_t count, unsigned threads) const
{
    std::vector<ReplayedEpisode> episodes(static_cast<std::size_t>(count));
    std::atomic<std::int32_t> next{0};
    auto const work = [&] {
        EpisodeRunner runner{setup_, {}};
        for (auto episode = next++; episode < count; episode = next++) {
            episodes[static_cast<std::size_t>(episode)] = run_one(runner, episode, {});
        }
    };
    std::vector<std::future<void>> workers;
    for (unsigned i = 0; i < std::min(threads, static_cast<unsigned>(count)); ++i) {
        workers.push_back(std::async(std::launch::async, work));
    }
    for (auto& worker : workers) {
        worker.get();
    }
    return episodes;
}

void Replayer::film(std::int32_t episode, std::function<bool(std::int64_t)> const& wanted,
                    std::function<void(RenderedFrame const&)> const& show) const
{
    EpisodeRunner runner{setup_, {}};
    std::int64_t step = 0;
    (void)run_one(runner, episode, [&](Task const& task, std::span<double const> action) {
        step = action.empty() ? 0 : step + 1;
        if (!wanted(step)) {
            return;
        }
        auto const frame = task.render();
        if (!frame) {
            throw ConfigError{
                fmt::format("cannot make a video of the domain {}", setup_.domains[0]->spec().name),
                "its environment does not draw images", "Leave out --video."};
        }
        show(*frame);
    });
}

RecordedReplay Replayer::record(std::int32_t episode) const
{
    EpisodeRunner runner{setup_, {}};
    auto const& spec = setup_.domains.front()->spec();
    std::optional<TrajectoryRecorder> recorder;
    RecordedReplay recorded;
    recorded.episode =
        run_one(runner, episode, [&](Task const& task, std::span<double const> action) {
            auto const* const physics = dynamic_cast<PhysicsTask const*>(&task);
            if (physics == nullptr) {
                throw ConfigError{fmt::format("cannot record the domain {}", spec.name),
                                  "it has no physics", "Leave out --trajectory."};
            }
            if (action.empty()) {
                recorder.emplace(spec, *physics, static_cast<std::int64_t>(seed_));
                recorded.fitness.clear();
            } else {
                recorder->add(*physics, action);
            }
            recorded.fitness.push_back(task.fitness());
        });
    recorded.recording = recorder->recording();
    return recorded;
}

}  // namespace mees
