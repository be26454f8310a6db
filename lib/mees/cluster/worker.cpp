#include "mees/cluster/batch_codec.hpp"
#include "mees/cluster/mpi_evaluator.hpp"
#include "mees/cluster/noise_sum.hpp"
#include "mees/cluster/outcome_codec.hpp"
#include "mees/cluster/rounds.hpp"
#include "mees/cluster/runtime_impl.hpp"
#include "mees/core/error.hpp"

#include <optional>

namespace mees {
namespace {

/// Runs the episodes of one batch after the other.
class Worker {
  public:
    Worker(ClusterRuntime::Impl& runtime, RolloutSetup const& setup, std::span<float const> noise)
        : runtime_{runtime},
          noise_{noise},
          runner_{setup, noise},
          bc_(setup.domains.at(0)->spec().bc_names.size())
    {
    }

    void run()
    {
        for (;;) {
            auto const command = runtime_.receive();
            switch (command.kind) {
                case CommandKind::evaluate:
                    evaluate(command.round);
                    break;
                case CommandKind::sum_noise:
                    sum_noise_part(runtime_, noise_);
                    break;
                case CommandKind::leave:
                    runtime_.channel->finished();
                    return;
                default:
                    contract_violated("a command for workers");
            }
        }
    }

  private:
    void evaluate(std::uint32_t round)
    {
        std::optional<EncodedBatch> batch;
        ItemWork const work{
            .work =
                [&](std::int64_t item, AbortCheck const& abort, std::vector<std::byte>& reply) {
                    if (!batch) {
                        batch.emplace(runtime_.channel->payload());
                    }
                    return run_episode(batch->episode(item), abort, reply);
                },
            .name = "episode",
            .add_timing =
                [this](ReplyHeader& header) {
                    auto const& timing = runner_.timing();
                    header.physics = timing.physics;
                    header.policy = timing.policy;
                    header.episodes = timing.episodes;
                    header.steps = timing.steps;
                }};
        serve_round(runtime_, round, work);
        runtime_.channel->finished();
    }

    bool run_episode(EpisodeSpec const& spec, AbortCheck const& abort,
                     std::vector<std::byte>& reply)
    {
        auto const outcome = runner_.run(spec, bc_, abort);
        if (!outcome) {
            return false;
        }
        append_outcome(reply, *outcome, bc_,
                       spec.records_observations ? &runner_.observations() : nullptr);
        return true;
    }

    ClusterRuntime::Impl& runtime_;
    std::span<float const> noise_;
    EpisodeRunner runner_;
    std::vector<double> bc_;
};

}  // namespace

void run_worker(ClusterRuntime& runtime, RolloutSetup const& setup, std::span<float const> noise)
{
    expects(!runtime.is_master(), "rank 0 does not work for itself");
    Worker worker{runtime.impl(), setup, noise};
    runtime.meet();
    worker.run();
}

}  // namespace mees
