#pragma once

#include "mees/cluster/runtime.hpp"
#include "mees/sim/registry.hpp"

namespace mees {

/// Rank 0's domain on every rank: by what a map carries of it, so that no other rank reads a model
/// file, or else by the settings. `prepared` is null on the other ranks. Collective.
[[nodiscard]] inline DomainPtr share_domain(ClusterRuntime& runtime, DomainPtr const& prepared,
                                            DomainSettings const& settings,
                                            DomainRegistry const& domains)
{
    auto const document = prepared ? prepared->document() : nullptr;
    auto const packed = runtime.broadcast(document ? pack(*document) : std::string{});
    if (prepared) {
        return prepared;
    }
    return packed.empty() ? domains.make(settings) : restore_domain(unpack(packed), "rank 0");
}

}  // namespace mees
