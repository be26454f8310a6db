#include "mees/cluster/farm.hpp"

#include "mees/cluster/rounds.hpp"
#include "mees/cluster/runtime_impl.hpp"

#include <algorithm>

namespace mees {
namespace {

std::optional<std::vector<std::string>> farm_alone(std::int64_t count, FarmJob const& job,
                                                   StopToken& stop)
{
    std::vector<std::string> results;
    AbortCheck const abort = [&stop] { return stop.requested(); };
    for (std::int64_t i = 0; i < count; ++i) {
        auto result = abort() ? std::nullopt : job(i, abort);
        if (!result) {
            return std::nullopt;
        }
        results.push_back(std::move(*result));
    }
    return results;
}

std::optional<std::vector<std::string>> hand_out(ClusterRuntime::Impl& runtime, std::int64_t count,
                                                 StopToken& stop)
{
    (void)runtime.channel->prepare(0);
    auto const number = runtime.channel->send(CommandKind::farm);
    std::vector<std::string> results(static_cast<std::size_t>(count));
    Round round{runtime, number, ChunkPlanner{count, runtime.topology.size - 1, 0}};
    bool const complete = round.run(
        [&](int, ReplyHeader const& header, std::span<std::byte const> bytes) {
            results[static_cast<std::size_t>(header.begin)].assign(
                reinterpret_cast<char const*>(bytes.data()), bytes.size());
        },
        stop);
    return complete ? std::optional{std::move(results)} : std::nullopt;
}

void do_jobs(ClusterRuntime::Impl& runtime, FarmJob const& job)
{
    auto const command = runtime.receive();
    expects(command.kind == CommandKind::farm, "all ranks come to the same farm");
    ItemWork const work{
        .work =
            [&](std::int64_t item, AbortCheck const& abort, std::vector<std::byte>& reply) {
                auto const result = job(item, abort);
                if (result) {
                    auto const bytes = std::as_bytes(std::span{*result});
                    reply.insert(reply.end(), bytes.begin(), bytes.end());
                }
                return result.has_value();
            },
        .name = "job",
        .add_timing = [](ReplyHeader&) {}};
    serve_round(runtime, command.round, work);
    runtime.channel->finished();
}

}  // namespace

std::optional<std::vector<std::string>> farm(ClusterRuntime& runtime, std::int64_t count,
                                             FarmJob const& job, StopToken& stop)
{
    if (runtime.size() == 1) {
        return farm_alone(count, job, stop);
    }
    runtime.meet();
    if (runtime.is_master()) {
        return hand_out(runtime.impl(), count, stop);
    }
    do_jobs(runtime.impl(), job);
    return std::nullopt;
}

}  // namespace mees
