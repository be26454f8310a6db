#include "mees/cluster/codec.hpp"
#include "mees/cluster/detail/compare_ranks.hpp"
#include "mees/cluster/detail/round.hpp"
#include "mees/cluster/detail/shared_novelties.hpp"
#include "mees/cluster/shared_noise_table.hpp"
#include "mees/rollout/episode_set.hpp"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <vector>

namespace mees {
namespace {

/// Called once per control step, at nearly no cost: whether the round was dropped. Every 20 ms, or
/// every step if steps take longer, it also polls.
class AbortWatch {
  public:
    AbortWatch(Ranks& ranks, std::uint32_t round) : ranks_{ranks}, round_{round} {}

    [[nodiscard]] bool operator()()
    {
        if (double const now = coarse_seconds(); now >= next_poll_) {
            next_poll_ = now + seconds_between_polls;
            ranks_.poll();
        }
        return ranks_.channel().aborted(round_);
    }

  private:
    static constexpr double seconds_between_polls = 0.02;

    Ranks& ranks_;
    std::uint32_t round_;
    double next_poll_{0};
};

/// Runs the episodes of one batch after the other.
class Worker {
  public:
    Worker(Ranks& ranks, RolloutSetup const& setup, std::span<float const> noise)
        : ranks_{ranks},
          queue_{ranks.queue()},
          shown_{ranks.running_episodes()},
          noise_{noise},
          episodes_{setup, noise}
    {
    }

    void run()
    {
        ranks_.expect_signs(true);
        for (;;) {
            auto const command = ranks_.next_command();
            switch (command.kind) {
                case CommandKind::evaluate:
                    evaluate(command.round);
                    break;
                case CommandKind::sum_noise:
                    sum_noise_part(ranks_, noise_);
                    break;
                case CommandKind::find_novelties:
                    find_novelties_part(ranks_);
                    break;
                case CommandKind::leave:
                    ranks_.expect_signs(false);
                    ranks_.channel().finished();
                    return;
                default:
                    contract_violated("a command for workers");
            }
        }
    }

  private:
    void evaluate(std::uint32_t round)
    {
        round_ = round;
        running_ = 0;
        done_ = 0;
        double const waited_before = ranks_.waited;
        Stopwatch inside;
        bool const failed = !run_episodes();
        shown_.clear();
        batch_.reset();
        leave(inside.seconds() - (ranks_.waited - waited_before), failed);
        ranks_.channel().finished();
    }

    /// Until no episode is left or the round is dropped; false after an exception, which has been
    /// reported.
    [[nodiscard]] bool run_episodes()
    {
        AbortWatch watch{ranks_, round_};
        AbortCheck const abort = [&watch] { return watch(); };
        EpisodeQueue const queue{
            [this] { return next(); },
            [this](std::int64_t episode) { return specification(episode); },
            [this](auto episode, auto const& outcome, auto bc, auto const* observations) {
                result_.clear();
                append_outcome(result_, episode, outcome, bc, observations);
                shown_.remove(episode);
                hand_in();
            }};
        try {
            (void)episodes_.run(queue, abort);
        } catch (std::exception const& error) {
            if (mpi_failed()) {
                throw;
            }
            ranks_.report(error, fmt::format(" in {}", name_episodes(episodes_.current())));
            return false;
        }
        return true;
    }

    /// The next episode. A worker that runs none waits for it; nothing if none will come.
    [[nodiscard]] std::optional<std::int64_t> next()
    {
        if (running_ > 0) {
            return take();
        }
        Stopwatch watch;
        auto const episode = await_episode();
        ranks_.waited += watch.seconds();
        return episode;
    }

    [[nodiscard]] std::optional<std::int64_t> await_episode()
    {
        while (!ranks_.channel().aborted(round_)) {
            auto const seen = queue_.version();
            bool const closed = queue_.closed();  // before `take`: the last share may just arrive
            if (auto const episode = take()) {
                return episode;
            }
            if (closed) {
                break;
            }
            if (queue_.try_ask()) {
                ask();
                continue;
            }
            ranks_.poll();
            queue_.sleep(seen, longest_sleep);
        }
        return std::nullopt;
    }

    [[nodiscard]] std::optional<std::int64_t> take()
    {
        auto const episode = queue_.take();
        if (episode) {
            ++running_;
            if (queue_.low() && queue_.try_ask()) {
                ask();
            }
        }
        return episode;
    }

    /// Sends the node's results to rank 0 and waits for the next share.
    void ask()
    {
        results_.clear();
        queue_.collect(results_);
        queue_.count_message();
        send_report(
            {.round = round_, .asks = 1, .workers = queue_.workers(), .running = queue_.running()},
            {}, results_);
        Backoff backoff{ranks_.wait_policy()};
        while (!probe(Tag::answer, 0)) {
            ranks_.poll();
            backoff.pause();
        }
        auto const answer = receive<Answer>(0, Tag::answer);
        expects(answer.round == round_, "an answer of this round");
        queue_.add(answer.share, answer.last != 0);
    }

    [[nodiscard]] EpisodeSpec specification(std::int64_t episode)
    {
        shown_.remove(episode);  // if it is repeated
        shown_.add(episode);
        if (!batch_) {
            batch_.emplace(ranks_.channel().payload());
        }
        return batch_->episode(episode);
    }

    void hand_in()
    {
        --running_;
        ++done_;
        if (!queue_.push(ranks_.topology().worker(), result_)) {
            queue_.count_message();
            send_report({.round = round_}, {}, result_);
        }
    }

    /// The last worker of the node reports for all.
    void leave(double busy, bool failed)
    {
        auto const timing = episodes_.timing();
        WorkerReport const own{.rank = ranks_.topology().rank,
                               .done = done_,
                               .busy = busy,
                               .physics = timing.physics,
                               .policy = timing.policy,
                               .waiting = ranks_.waited,
                               .episodes = timing.episodes,
                               .steps = timing.steps};
        if (!queue_.leave(ranks_.topology().worker(), own, failed)) {
            return;
        }
        results_.clear();
        queue_.collect(results_);
        queue_.count_message();
        auto const summary = queue_.finish();
        send_report({.round = round_,
                     .finished = 1,
                     .failed = summary.failed ? 1U : 0U,
                     .workers = queue_.workers(),
                     .messages = summary.messages,
                     .reports = std::ssize(summary.reports)},
                    summary.reports, results_);
    }

    void send_report(NodeReport const& header, std::span<WorkerReport const> reports,
                     std::span<std::byte const> outcomes)
    {
        message_.clear();
        for (auto const part :
             {std::as_bytes(std::span{&header, 1}), std::as_bytes(reports), outcomes}) {
            message_.insert(message_.end(), part.begin(), part.end());
        }
        send_large(0, Tag::report, message_, ranks_.wait_policy(), [this] { ranks_.poll(); });
    }

    /// Of a worker without episodes: it polls as often.
    static constexpr auto longest_sleep = std::chrono::milliseconds{50};

    Ranks& ranks_;
    NodeQueue& queue_;
    RunningEpisodes& shown_;
    std::span<float const> noise_;
    EpisodeSet episodes_;
    std::optional<EncodedBatch> batch_;  ///< read when the first episode needs it
    std::uint32_t round_{0};
    std::int64_t running_{0};  ///< episodes that this worker has taken and not handed in
    std::int64_t done_{0};     ///< in this round
    std::vector<std::byte> result_;
    std::vector<std::byte> results_;
    std::vector<std::byte> message_;
};

}  // namespace

void run_worker(ClusterRuntime& runtime, RolloutSetup const& setup, std::span<float const> noise)
{
    expects(!runtime.is_master(), "a rank other than 0");
    Worker worker{runtime.ranks(), setup, noise};
    compare_ranks(runtime, setup);
    worker.run();
}

}  // namespace mees
