#include "mees/cluster/codec.hpp"
#include "mees/cluster/detail/compare_ranks.hpp"
#include "mees/cluster/detail/round.hpp"
#include "mees/cluster/shared_noise_table.hpp"
#include "mees/rollout/episode_set.hpp"

#include <fmt/format.h>

#include <cstring>
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
        : ranks_{ranks}, noise_{noise}, episodes_{setup, noise}
    {
    }

    void run()
    {
        for (;;) {
            auto const command = ranks_.next_command();
            switch (command.kind) {
                case CommandKind::evaluate:
                    evaluate(command.round);
                    break;
                case CommandKind::sum_noise:
                    sum_noise_part(ranks_, noise_);
                    break;
                case CommandKind::leave:
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
        AbortWatch watch{ranks_, round};
        AbortCheck const abort = [&watch] { return watch(); };
        for (bool last = false; !last;) {
            auto const assignment = next_assignment();
            last = assignment.last != 0;
            if (assignment.begin < assignment.end) {
                reply_to(assignment, abort);
            }
        }
        batch_.reset();
        ranks_.channel().finished();
    }

    Assignment next_assignment()
    {
        Stopwatch watch;
        Backoff backoff{ranks_.wait_policy()};
        while (!probe(Tag::assignment, 0)) {
            ranks_.poll();
            backoff.pause();
        }
        auto const assignment = receive<Assignment>(0, Tag::assignment);
        ranks_.waited += watch.seconds();
        return assignment;
    }

    void reply_to(Assignment const& assignment, AbortCheck const& abort)
    {
        Stopwatch own;
        reply_.resize(sizeof(ReplyHeader));
        bool const done = run_episodes(assignment, abort);
        if (!done) {
            reply_.resize(sizeof(ReplyHeader));
        }
        auto const timing = episodes_.timing();
        ReplyHeader const header{.round = assignment.round,
                                 .dropped = done ? 0U : 1U,
                                 .begin = assignment.begin,
                                 .end = assignment.end,
                                 .seconds = own.seconds(),
                                 .physics = timing.physics,
                                 .policy = timing.policy,
                                 .waiting = ranks_.waited,
                                 .episodes = timing.episodes,
                                 .steps = timing.steps};
        std::memcpy(reply_.data(), &header, sizeof header);
        send_large(0, Tag::reply, reply_, ranks_.wait_policy(), [this] { ranks_.poll(); });
    }

    /// Whether all of them were run; appends their outcomes to the reply.
    [[nodiscard]] bool run_episodes(Assignment const& assignment, AbortCheck const& abort)
    {
        outcomes_.resize(static_cast<std::size_t>(assignment.end - assignment.begin));
        auto next = assignment.begin;
        EpisodeQueue const queue{
            [&] { return next < assignment.end ? std::optional{next++} : std::nullopt; },
            [this](std::int64_t episode) {
                ranks_.show_episode(episode);
                return batch_->episode(episode);
            },
            [&](auto episode, auto const& outcome, auto bc, auto const* observations) {
                auto& bytes = outcomes_[static_cast<std::size_t>(episode - assignment.begin)];
                bytes.clear();
                append_outcome(bytes, outcome, bc, observations);
            }};
        try {
            if (!batch_) {
                batch_.emplace(ranks_.channel().payload());
            }
            bool const done = !abort() && episodes_.run(queue, abort);
            ranks_.show_episode(-1);
            if (!done) {
                return false;
            }
        } catch (std::exception const& error) {
            if (mpi_failed()) {
                throw;
            }
            ranks_.report(error, fmt::format(" in episode {}",
                                             batch_ ? episodes_.current() : assignment.begin));
            return false;
        }
        for (auto const& bytes : outcomes_) {
            reply_.insert(reply_.end(), bytes.begin(), bytes.end());
        }
        return true;
    }

    Ranks& ranks_;
    std::span<float const> noise_;
    EpisodeSet episodes_;
    std::optional<EncodedBatch> batch_;             ///< read when the first episode needs it
    std::vector<std::vector<std::byte>> outcomes_;  ///< of an assignment
    std::vector<std::byte> reply_;
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
