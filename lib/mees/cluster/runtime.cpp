#include "mees/cluster/runtime.hpp"

#include "mees/cluster/mail.hpp"
#include "mees/cluster/runtime_impl.hpp"

#include <algorithm>

namespace mees {

ClusterRuntime::ClusterRuntime(int& argc, char**& argv) : impl_{std::make_unique<Impl>(argc, argv)}
{
}

ClusterRuntime::~ClusterRuntime() = default;

int ClusterRuntime::rank() const
{
    return impl_->topology.rank;
}

int ClusterRuntime::size() const
{
    return impl_->topology.size;
}

int ClusterRuntime::nodes() const
{
    return impl_->topology.nodes;
}

std::string const& ClusterRuntime::host() const
{
    return impl_->host;
}

MasterTiming const& ClusterRuntime::master_timing() const
{
    return impl_->timing;
}

std::string ClusterRuntime::broadcast(std::string text)
{
    if (size() == 1) {
        return text;
    }
    auto& channel = *impl_->channel;
    if (is_master()) {
        auto const room = channel.prepare(static_cast<std::int64_t>(text.size()));
        std::ranges::copy(std::as_bytes(std::span{text}), room.begin());
        channel.send(CommandKind::text);
        return text;
    }
    auto const command = impl_->receive();
    expects(command.kind == CommandKind::text, "all ranks come to the same broadcast");
    auto const payload = channel.payload();
    text.assign(reinterpret_cast<char const*>(payload.data()), payload.size());
    channel.finished();
    return text;
}

void ClusterRuntime::meet()
{
    if (size() == 1) {
        return;
    }
    if (!is_master()) {
        int const here = rank();
        check_mpi(MPI_Send(&here, 1, MPI_INT, 0, static_cast<int>(Tag::ready), MPI_COMM_WORLD),
                  "meeting the other ranks");
        auto const command = impl_->receive();
        expects(command.kind == CommandKind::proceed, "all ranks come to the same meeting");
        impl_->channel->finished();
        return;
    }
    Backoff backoff{impl_->wait_policy};
    for (int missing = size() - 1; missing > 0;) {
        impl_->read_mail();
        impl_->throw_failure();
        if (has_mail(Tag::ready)) {
            (void)receive_bytes(MPI_ANY_SOURCE, Tag::ready);
            --missing;
        } else {
            backoff.pause();
        }
    }
    (void)impl_->channel->prepare(0);
    impl_->channel->send(CommandKind::proceed);
}

}  // namespace mees
