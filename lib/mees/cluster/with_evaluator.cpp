#include "mees/cluster/with_evaluator.hpp"

#include "mees/cluster/codec.hpp"
#include "mees/cluster/detail/compare_ranks.hpp"
#include "mees/cluster/detail/round.hpp"
#include "mees/cluster/detail/watchdog.hpp"
#include "mees/core/output.hpp"
#include "mees/core/resources.hpp"
#include "mees/core/stop.hpp"
#include "mees/rollout/threads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include <unistd.h>

namespace mees {
namespace {

/// For workers without episodes to receive their release.
constexpr double seconds_to_leave = 8;
/// Added to cluster.silence_seconds: normally rank 0 itself notices that a rank is silent.
constexpr double seconds_stuck = 10;

/// What a lost rank was running, as the batch describes it; without what is not in the batch.
std::vector<LostEpisode> episodes_in(Batch const& batch, std::vector<LostEpisode> lost)
{
    std::erase_if(lost, [end = batch.episodes()](auto const& one) { return one.index >= end; });
    for (auto& one : lost) {
        one.seed = batch.seed;
        one.generation = episode_of(batch, one.index).group->generation;
    }
    return lost;
}

/// The same error, with what the lost rank was running.
WorkerLost with_episodes(WorkerLost const& lost, Batch const& batch)
{
    auto const episodes = episodes_in(batch, lost.episodes());
    if (episodes.empty()) {
        return lost;
    }
    return {fmt::format("{} has ended in {}", episodes.front().worker, name_episodes(episodes)),
            fmt::format("its process no longer exists; the seed is {}", batch.seed),
            "Check that host, then run the same command again to resume from the saved state.",
            episodes};
}

/// Rank 0's side of a cluster: hands the episodes of a batch to the other ranks, which are in
/// `run_worker` meanwhile.
class MpiEvaluator final : public Evaluator {
  public:
    MpiEvaluator(Ranks& ranks, RolloutSetup const& setup)
        : ranks_{ranks},
          bc_size_{static_cast<std::int64_t>(setup.domains.at(0)->spec().bc_names.size())},
          together_{setup.domains.at(0)->spec().batch},
          timing_(static_cast<std::size_t>(ranks.topology().size - 1))
    {
        for (std::size_t i = 0; i < timing_.size(); ++i) {
            timing_[i].name = fmt::format("rank {} ({})", i + 1, ranks.infos()[i + 1].host);
        }
        nodes_ = std::ranges::count_if(ranks.infos(), [](RankInfo const& info) {
            return info.leads_node && (info.rank != 0 || info.node_size > 1);
        });
        if (ranks.silence_limit > 0) {
            stuck_.emplace(
                ranks.silence_limit + seconds_stuck,
                [this] {
                    print_error(program_invocation_short_name, ranks_.describe_stuck_call());
                    work_and_exit([] { _exit(static_cast<int>(ExitCode::failure)); });
                },
                stuck_in_mpi());
        }
    }

    [[nodiscard]] std::optional<BatchResult> evaluate(Batch const& batch, StopToken& stop) override
    {
        if (!ranks_.gave_up()) {
            ranks_.receive_reports();
        }
        if (stop.requested()) {
            return std::nullopt;
        }
        ranks_.require_all_ranks();
        ranks_.attend(&stop, [this] { work_while_waiting(); });
        try {
            auto result = evaluate_on_ranks(batch, stop);
            ranks_.attend(&stop, {});
            return result;
        } catch (NoAnswer const& none) {
            ranks_.give_up(std::current_exception());
            ranks_.throw_failure();
            lost_episodes_ = episodes_in(batch, none.episodes());
            return std::nullopt;
        } catch (WorkerLost const& lost) {
            ranks_.give_up(std::current_exception());
            throw with_episodes(lost, batch);
        } catch (...) {
            // Workers are somewhere within the batch.
            if (!ranks_.failed()) {
                ranks_.give_up(std::current_exception());
            }
            if (auto const lost = mpi_failed() ? ranks_.find_lost() : std::nullopt) {
                throw with_episodes(*lost, batch);
            }
            throw;
        }
    }

    [[nodiscard]] std::vector<LostEpisode> lost_episodes() const override { return lost_episodes_; }
    [[nodiscard]] std::int32_t workers() const override { return ranks_.topology().size - 1; }
    [[nodiscard]] std::vector<WorkerTiming> timing() const override { return timing_; }

  private:
    std::optional<BatchResult> evaluate_on_ranks(Batch const& batch, StopToken& stop)
    {
        auto const round = send_batch(batch);
        auto const episodes = batch.episodes();
        BatchResult result{episodes, bc_size_};
        SharePlanner const planner{episodes, workers(), nodes_, seconds_per_episode(), together_};
        busy_seconds_ = 0;
        episodes_done_ = 0;
        std::int64_t stored = 0;
        bool const complete = Round{ranks_, round, planner, nodes_}.run(
            [&](std::span<WorkerReport const> reports, std::span<std::byte const> outcomes) {
                for (auto const& report : reports) {
                    add_timing(report);
                }
                stored += read_outcomes(outcomes, result);
            },
            stop);
        if (!complete) {
            return std::nullopt;
        }
        expects(stored == episodes, "one outcome of every episode");
        std::ranges::sort(result.observations, {}, &SampledObservations::episode);
        return result;
    }

    std::uint32_t send_batch(Batch const& batch)
    {
        Stopwatch watch;
        auto& channel = ranks_.channel();
        encode_batch(batch, channel.prepare(encoded_size(batch)));
        auto const round = channel.send_prepared(CommandKind::evaluate);
        ranks_.timing.sending += watch.seconds();
        return round;
    }

    void add_timing(WorkerReport const& report)
    {
        auto& worker = timing_.at(static_cast<std::size_t>(report.rank - 1));
        worker.physics = report.physics;
        worker.policy = report.policy;
        worker.waiting = report.waiting;
        worker.episodes = report.episodes;
        worker.steps = report.steps;
        busy_seconds_ += report.busy;
        episodes_done_ += report.done;
    }

    /// In the last batch; 0 if there was none.
    [[nodiscard]] double seconds_per_episode() const
    {
        return episodes_done_ > 0 ? busy_seconds_ / static_cast<double>(episodes_done_) : 0;
    }

    Ranks& ranks_;
    std::int64_t bc_size_;
    std::int64_t together_;
    std::int64_t nodes_{0};             ///< that have workers
    std::vector<WorkerTiming> timing_;  ///< of ranks 1, 2, ...
    double busy_seconds_{0};
    std::int64_t episodes_done_{0};
    std::vector<LostEpisode> lost_episodes_;
    std::optional<Watchdog> stuck_;  ///< last: its thread uses the other members
};

}  // namespace

ExitCode with_evaluator(ClusterRuntime& runtime, RolloutSetup const& setup,
                        std::span<float const> noise, unsigned threads,
                        std::function<ExitCode(Evaluator&)> const& body)
{
    signals_are_polled();
    if (runtime.size() == 1) {
        auto const count = thread_count(threads);
        auto const evaluator =
            with_resources([count] { return fmt::format("--threads {}", count); },
                           [&] { return std::make_unique<ThreadEvaluator>(setup, noise, count); });
        return body(*evaluator);
    }
    if (!runtime.is_master()) {
        run_worker(runtime, setup, noise);
        return ExitCode::success;
    }
    auto& ranks = runtime.ranks();
    compare_ranks(runtime, setup);
    MpiEvaluator evaluator{ranks, setup};
    ranks.expect_signs(true);
    auto const code = body(evaluator);
    // Not in a destructor: if `body` throws, the shutdown releases the workers.
    ranks.attend(nullptr, {});
    ranks.expect_signs(false);
    if (!ranks.gave_up()) {
        try {
            ranks.within(seconds_to_leave, [&] { ranks.channel().send(CommandKind::leave); });
        } catch (NoAnswer const&) {
            ranks.give_up(std::current_exception());
        }
    }
    return code;
}

}  // namespace mees
