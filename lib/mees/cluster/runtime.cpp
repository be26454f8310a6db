#include "mees/cluster/runtime.hpp"

#include "mees/cluster/detail/ranks.hpp"

#include <algorithm>
#include <utility>

namespace mees {

ClusterRuntime::ClusterRuntime(int& argc, char**& argv)
    : ranks_{std::make_unique<Ranks>(argc, argv)}
{
}

ClusterRuntime::~ClusterRuntime() = default;

int ClusterRuntime::rank() const
{
    return ranks_->topology().rank;
}

int ClusterRuntime::size() const
{
    return ranks_->topology().size;
}

int ClusterRuntime::nodes() const
{
    return ranks_->topology().nodes;
}

std::string const& ClusterRuntime::host() const
{
    return ranks_->host();
}

MasterTiming const& ClusterRuntime::master_timing() const
{
    return ranks_->timing;
}

std::string ClusterRuntime::broadcast(std::string text)
{
    if (size() == 1) {
        return text;
    }
    auto& channel = ranks_->channel();
    if (is_master()) {
        auto const room = channel.prepare(static_cast<std::int64_t>(text.size()));
        std::ranges::copy(std::as_bytes(std::span{text}), room.begin());
        channel.send_prepared(CommandKind::text);
        return text;
    }
    auto const command = ranks_->next_command();
    expects(command.kind == CommandKind::text, "all ranks call the same broadcast");
    auto const payload = channel.payload();
    text.assign(reinterpret_cast<char const*>(payload.data()), payload.size());
    channel.finished();
    return text;
}

std::vector<std::string> ClusterRuntime::gather(std::string text)
{
    if (!is_master()) {
        send_bytes(0, Tag::gathered, std::as_bytes(std::span{text}));
        auto const command = ranks_->next_command();
        expects(command.kind == CommandKind::proceed, "all ranks call the same gather");
        ranks_->channel().finished();
        return {};
    }
    std::vector<std::string> all(static_cast<std::size_t>(size()));
    all.front() = std::move(text);
    Backoff backoff{ranks_->wait_policy()};
    for (int missing = size() - 1; missing > 0;) {
        ranks_->receive_reports();
        ranks_->throw_failure();
        if (probe(Tag::gathered)) {
            std::string part;
            auto const source = receive_bytes(MPI_ANY_SOURCE, Tag::gathered, part);
            all[static_cast<std::size_t>(source)] = std::move(part);
            --missing;
        } else {
            backoff.pause();
        }
    }
    if (size() > 1) {
        ranks_->channel().send(CommandKind::proceed);
    }
    return all;
}

}  // namespace mees
