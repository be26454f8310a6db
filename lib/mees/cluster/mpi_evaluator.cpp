#include "mees/cluster/mpi_evaluator.hpp"

#include "mees/cluster/batch_codec.hpp"
#include "mees/cluster/noise_sum.hpp"
#include "mees/cluster/outcome_codec.hpp"
#include "mees/cluster/rounds.hpp"
#include "mees/cluster/runtime_impl.hpp"
#include "mees/core/stopwatch.hpp"
#include "mees/es/gradient.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mees {
namespace {

/// Fewer multiplications than this are quicker done here than handed out.
constexpr double worth_sharing = 1e6;

}  // namespace

struct MpiEvaluator::Impl {
    Impl(ClusterRuntime::Impl& runtime, RolloutSetup const& setup, SharedNoiseTable const& noise)
        : runtime{runtime},
          bc_size{static_cast<std::int64_t>(setup.domains.at(0)->spec().bc_names.size())},
          noise{noise.values()},
          workers(static_cast<std::size_t>(runtime.topology.size))
    {
        for (std::size_t rank = 0; rank < workers.size(); ++rank) {
            workers[rank].name =
                fmt::format("rank {} ({})", rank, runtime.introductions[rank].host);
        }
    }

    void note(int rank, ReplyHeader const& header)
    {
        auto& worker = workers[static_cast<std::size_t>(rank)];
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
    std::span<float const> noise;
    std::vector<WorkerTiming> workers;  ///< by rank, the master first
    MasterTiming master;
    double busy_seconds{0};
    std::int64_t items_done{0};
};

MpiEvaluator::MpiEvaluator(ClusterRuntime& runtime, RolloutSetup const& setup,
                           SharedNoiseTable const& noise)
{
    expects(runtime.is_master() && runtime.size() > 1, "rank 0 of several");
    runtime.meet();
    impl_ = std::make_unique<Impl>(runtime.impl(), setup, noise);
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
    impl_->master.sending += watch.restart();

    auto const episodes = batch.episodes();
    BatchResult result{episodes, impl_->bc_size};
    ChunkPlanner const planner{episodes, impl_->runtime.topology.size - 1,
                               impl_->seconds_per_item()};
    impl_->busy_seconds = 0;
    impl_->items_done = 0;
    Round round{impl_->runtime, number, planner, impl_->master};
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

Eigen::VectorXf MpiEvaluator::weighted_noise(std::span<NoiseOffset const> offsets,
                                             std::span<float const> weights, std::int64_t size)
{
    expects(offsets.size() == weights.size(), "one weight per slice");
    for (auto const offset : offsets) {
        expects(offset.value() >= 0
                    && offset.value() + size <= static_cast<std::int64_t>(impl_->noise.size()),
                "noise slices within the table");
    }
    Stopwatch watch;
    Eigen::VectorXf sums(size);
    if (static_cast<double>(size) * static_cast<double>(offsets.size()) < worth_sharing) {
        sum_weighted_noise(impl_->noise, offsets, weights, 0,
                           {sums.data(), static_cast<std::size_t>(size)});
    } else {
        sums = sum_noise_together(impl_->runtime, impl_->noise, offsets, weights, size);
    }
    impl_->master.summing += watch.seconds();
    return sums;
}

std::span<float const> MpiEvaluator::noise() const
{
    return impl_->noise;
}

std::vector<WorkerTiming> MpiEvaluator::timing()
{
    impl_->workers.front().waiting = impl_->master.waiting;
    return impl_->workers;
}

MasterTiming MpiEvaluator::master_timing() const
{
    return impl_->master;
}

}  // namespace mees
