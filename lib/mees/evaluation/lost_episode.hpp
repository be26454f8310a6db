#pragma once

#include "mees/core/ids.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace mees {

/// An episode that a lost worker was running.
struct LostEpisode {
    std::uint64_t seed{0};
    Generation generation;
    std::int64_t index{0};  ///< in the generation's batch
    std::string worker;     ///< "rank 3 on host n7"

    friend bool operator==(LostEpisode const&, LostEpisode const&) = default;
};

/// "episode 7", or "one of the episodes 4, 5, 6" where a worker runs several at once; of very many
/// the first ones only.
[[nodiscard]] std::string name_episodes(std::span<std::int64_t const> episodes);
/// The same with generations: "episode 7 of generation 3".
[[nodiscard]] std::string name_episodes(std::span<LostEpisode const> episodes);

}  // namespace mees
