#pragma once

#include "mees/config/settings.hpp"
#include "mees/core/ids.hpp"
#include "mees/evaluation/batch.hpp"
#include "mees/evaluation/result.hpp"
#include "mees/qd/elite_map.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace mees {

/// Episodes first .. first + count - 1 of a result.
struct EpisodeRange {
    std::int64_t first{0};
    std::int64_t count{0};
};

/// The offspring of one ES step, by member: means over each one's episodes.
struct OffspringValues {
    std::int64_t bc_size{0};
    std::vector<double> objective;  ///< what training optimises
    std::vector<double> fitness;
    std::vector<double> bcs;      ///< members x bc_size
    std::vector<double> novelty;  ///< if it is known already

    [[nodiscard]] std::size_t size() const { return objective.size(); }
    [[nodiscard]] std::span<double const> bc(std::size_t member) const
    {
        auto const width = static_cast<std::size_t>(bc_size);
        return std::span{bcs}.subspan(member * width, width);
    }
};

/// Appends the members whose episodes are in `range`, `repeats` of each.
void append_offspring(OffspringValues& values, BatchResult const& result, EpisodeRange range,
                      std::int32_t repeats);

/// The offspring that would improve their cells most, at most `count` and at most one for a cell:
/// members in descending order of fitness - the cell's fitness, the lower member at a tie. An empty
/// cell counts as one with the map's lowest fitness; offspring that would not enter are left out.
[[nodiscard]] std::vector<std::int64_t> most_improving(OffspringValues const& values,
                                                       EliteMap const& map, std::int64_t count);

}  // namespace mees
