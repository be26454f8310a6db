#include "mees/cluster/shared_noise_table.hpp"

#include "mees/cluster/runtime_impl.hpp"
#include "mees/cluster/shared_memory.hpp"
#include "mees/es/noise_table.hpp"

#include <thread>

namespace mees {

struct SharedNoiseTable::Impl {
    TableMemory own;  ///< where there is one rank only
    std::span<float const> values;
};

SharedNoiseTable::SharedNoiseTable(ClusterRuntime& runtime, std::int64_t size, std::uint64_t seed)
    : impl_{std::make_unique<Impl>()}
{
    if (runtime.size() == 1) {
        impl_->own = make_noise_table(size, seed, std::thread::hardware_concurrency());
        impl_->values = impl_->own;
        return;
    }
    auto& cluster = runtime.impl();
    auto const bytes = size * static_cast<std::int64_t>(sizeof(float));
    if (cluster.topology.is_leader()) {
        require_shared_memory(bytes, "the noise table");
    }
    runtime.meet();
    auto const& memory = cluster.kept.emplace_back(cluster.node, bytes);
    std::span const values{reinterpret_cast<float*>(memory.bytes().data()),
                           static_cast<std::size_t>(size)};
    auto const blocks = noise_blocks(size);
    auto const rank = cluster.topology.node_rank;
    auto const ranks = cluster.topology.node_size;
    fill_noise(values, seed, blocks * rank / ranks, blocks * (rank + 1) / ranks);
    memory.synchronise();
    runtime.meet();
    memory.synchronise();
    impl_->values = values;
}

SharedNoiseTable::~SharedNoiseTable() = default;

std::span<float const> SharedNoiseTable::values() const
{
    return impl_->values;
}

}  // namespace mees
