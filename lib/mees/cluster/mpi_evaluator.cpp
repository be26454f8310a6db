#include "mees/cluster/mpi_evaluator.hpp"

#include "mees/cluster/batch_codec.hpp"
#include "mees/cluster/outcome_codec.hpp"
#include "mees/cluster/rounds.hpp"
#include "mees/cluster/runtime_impl.hpp"
#include "mees/core/stopwatch.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mees {

struct MpiEvaluator::Impl {
    Impl(ClusterRuntime::Impl& runtime, RolloutSetup const& setup)
        : runtime{runtime},
          bc_size{static_cast<std::int64_t>(setup.domains.at(0)->spec().bc_names.size())},
          workers(static_cast<std::size_t>(runtime.topology.size - 1))
    {
        for (std::size_t i = 0; i < workers.size(); ++i) {
            workers[i].name = fmt::format("rank {} ({})", i + 1, runtime.introductions[i + 1].host);
        }
    }

    void note(int rank, ReplyHeader const& header)
    {
        auto& worker = workers[static_cast<std::size_t>(rank - 1)];
        worker.physics = header.physics;
        worker.policy = header.policy;
        worker.waiting = header.waiting;
        worker.episodes = header.episodes;
        worker.steps = header.steps;
        busy_seconds += header.seconds;
        items_done += header.end - header.begin;
    }
    [[nodiscard]] double seconds_per_item() const
    {
        return items_done > 0 ? busy_seconds / static_cast<double>(items_done) : 0;
    }

    ClusterRuntime::Impl& runtime;
    std::int64_t bc_size;
    std::vector<WorkerTiming> workers;  ///< of ranks 1, 2, ...
    double busy_seconds{0};
    std::int64_t items_done{0};
};

MpiEvaluator::MpiEvaluator(ClusterRuntime& runtime, RolloutSetup const& setup)
{
    expects(runtime.is_master() && runtime.size() > 1, "rank 0 of several");
    runtime.meet();
    impl_ = std::make_unique<Impl>(runtime.impl(), setup);
}

MpiEvaluator::~MpiEvaluator()
{
    (void)impl_->runtime.channel->prepare(0);
    impl_->runtime.channel->send(CommandKind::leave);
}

std::optional<BatchResult> MpiEvaluator::evaluate(Batch const& batch, StopToken& stop)
{
    impl_->runtime.read_mail();
    if (stop.requested()) {
        return std::nullopt;
    }
    Stopwatch watch;
    auto& channel = *impl_->runtime.channel;
    encode_batch(batch, channel.prepare(encoded_size(batch)));
    auto const number = channel.send(CommandKind::evaluate);
    impl_->runtime.timing.sending += watch.restart();

    auto const episodes = batch.episodes();
    BatchResult result{episodes, impl_->bc_size};
    ChunkPlanner const planner{episodes, impl_->runtime.topology.size - 1,
                               impl_->seconds_per_item()};
    impl_->busy_seconds = 0;
    impl_->items_done = 0;
    Round round{impl_->runtime, number, planner};
    bool const complete = round.run(
        [&](int rank, ReplyHeader const& header, std::span<std::byte const> bytes) {
            impl_->note(rank, header);
            read_outcomes(bytes, header.begin, header.end, result);
        },
        stop);
    if (!complete) {
        return std::nullopt;
    }
    std::ranges::sort(result.observations, {}, &SampledObservations::episode);
    return result;
}

std::int32_t MpiEvaluator::workers() const
{
    return impl_->runtime.topology.size - 1;
}

std::vector<WorkerTiming> MpiEvaluator::timing() const
{
    return impl_->workers;
}

}  // namespace mees
