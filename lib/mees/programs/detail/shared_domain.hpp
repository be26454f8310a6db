#pragma once

#include "mees/cluster/runtime.hpp"
#include "mees/sim/registry.hpp"

#include <sstream>
#include <string>
#include <vector>

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

/// Rank 0's damages on every rank. Collective.
[[nodiscard]] inline std::vector<Damage> share_damages(ClusterRuntime& runtime,
                                                       std::vector<Damage> const& prepared)
{
    std::string lines;
    for (auto const& damage : prepared) {
        lines += damage.text() + '\n';
    }
    std::istringstream stream{runtime.broadcast(lines)};
    std::vector<Damage> damages;
    for (std::string line; std::getline(stream, line);) {
        damages.push_back(Damage::parse(line));
    }
    return damages;
}

}  // namespace mees
