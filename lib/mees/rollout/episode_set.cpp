#include "mees/rollout/episode_set.hpp"

#include "mees/core/log.hpp"

#include <algorithm>
#include <memory>

namespace mees {
namespace {

/// Tasks of one thread, made for all lanes at once when the first needs one of a variant.
class TaskPool {
  public:
    TaskPool(std::vector<std::shared_ptr<Domain const>> domains, std::int64_t lanes)
        : domains_{std::move(domains)}, lanes_{lanes}, tasks_(domains_.size())
    {
    }

    [[nodiscard]] std::unique_ptr<Task> take(std::size_t variant, std::size_t lane)
    {
        auto& tasks = tasks_[variant];
        if (tasks.empty()) {
            tasks = domains_[variant]->make_tasks(lanes_);
        }
        return std::move(tasks[lane]);
    }

  private:
    std::vector<std::shared_ptr<Domain const>> domains_;
    std::int64_t lanes_;
    std::vector<std::vector<std::unique_ptr<Task>>> tasks_;
};

}  // namespace

EpisodeSet::EpisodeSet(RolloutSetup const& setup, std::span<float const> noise)
    : restarts_{setup.domains.at(0)->spec().restarts},
      bc_(setup.domains.at(0)->spec().bc_names.size())
{
    auto const count = static_cast<std::size_t>(setup.domains.at(0)->spec().batch);
    auto const pool = std::make_shared<TaskPool>(setup.domains, setup.domains.at(0)->spec().batch);
    lanes_.reserve(count);
    for (std::size_t lane = 0; lane < count; ++lane) {
        lanes_.push_back({EpisodeRunner{setup, noise, [pool, lane](std::size_t variant) {
                                            return pool->take(variant, lane);
                                        }}});
    }
}

bool EpisodeSet::run(EpisodeQueue const& queue, AbortCheck const& abort)
{
    for (auto& lane : lanes_) {
        lane.phase = Phase::idle;
    }
    for (;;) {
        try {
            if (!fill(queue, abort)) {
                return true;
            }
            if (abort()) {
                return false;
            }
            step(queue);
        } catch (EpisodeDropped const&) {
            return false;
        } catch (EnvironmentLost const& error) {
            repeat(error);
        }
    }
}

/// Starts episodes in lanes that have none; whether any lane has one.
bool EpisodeSet::fill(EpisodeQueue const& queue, AbortCheck const& abort)
{
    bool any = false;
    for (auto& lane : lanes_) {
        if (lane.phase == Phase::idle) {
            if (auto const next = queue.next()) {
                lane.episode = *next;
                lane.lost = 0;
                lane.phase = Phase::fresh;
            }
        }
        if (lane.phase == Phase::fresh) {
            auto const spec = queue.spec(lane.episode);
            lane.records = spec.records_observations;
            lane.runner.begin(spec, abort);
            lane.phase = Phase::running;
        }
        any = any || lane.phase == Phase::running;
    }
    return any;
}

void EpisodeSet::step(EpisodeQueue const& queue)
{
    for (auto& lane : lanes_) {
        lane.stepping =
            lane.phase == Phase::running && lane.runner.running() && lane.runner.begin_step();
    }
    for (auto& lane : lanes_) {
        if (lane.stepping) {
            lane.runner.finish_step();
        }
    }
    for (auto& lane : lanes_) {
        if (lane.phase == Phase::running && !lane.runner.running()) {
            auto const outcome = lane.runner.finish(bc_);
            queue.done(lane.episode, outcome, bc_,
                       lane.records ? &lane.runner.observations() : nullptr);
            lane.phase = Phase::idle;
        }
    }
}

/// All episodes that run start again, or the error is thrown if that happened often enough.
void EpisodeSet::repeat(EnvironmentLost const& error)
{
    for (auto& lane : lanes_) {
        if (lane.phase != Phase::idle) {
            if (lane.lost++ == restarts_) {
                throw error;
            }
            lane.phase = Phase::fresh;
        }
    }
    log::warning("{}; the episode is repeated in a new process", error.what());
}

std::vector<std::int64_t> EpisodeSet::current() const
{
    std::vector<std::int64_t> busy;
    for (auto const& lane : lanes_) {
        if (lane.phase != Phase::idle) {
            busy.push_back(lane.episode);
        }
    }
    if (busy.empty()) {
        busy.push_back(lanes_.front().episode);
    }
    std::ranges::sort(busy);
    return busy;
}

WorkerTiming EpisodeSet::timing() const
{
    WorkerTiming sum;
    auto const share = 1 / static_cast<double>(lanes_.size());  // their times overlap
    for (auto const& lane : lanes_) {
        auto const& timing = lane.runner.timing();
        sum.physics += share * timing.physics;
        sum.policy += share * timing.policy;
        sum.episodes += timing.episodes;
        sum.steps += timing.steps;
    }
    return sum;
}

}  // namespace mees
