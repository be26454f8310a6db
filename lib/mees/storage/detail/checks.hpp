#pragma once

// Inside this module only: what is asked of every value that a map file holds.

#include "mees/core/ids.hpp"
#include "mees/storage/hdf5/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>

namespace mees {

inline constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

inline void require(hdf5::Reader const& file, bool condition, std::string const& why)
{
    if (!condition) {
        throw file.error(why);
    }
}

template <class Values>
void require_finite(hdf5::Reader const& file, std::string const& path, Values const& values)
{
    require(file, std::ranges::all_of(values, [](auto value) { return std::isfinite(value); }),
            fmt::format("{} holds a number that is not finite", path));
}

template <class Values>
void require_range(hdf5::Reader const& file, std::string const& path, Values const& values,
                   std::int64_t lowest, std::int64_t highest)
{
    for (auto const value : values) {
        require(file, value >= lowest && value <= highest,
                fmt::format("{} holds {}, outside {} to {}", path, value, lowest, highest));
    }
}

template <class Values>
void require_ascending(hdf5::Reader const& file, std::string const& path, Values const& values)
{
    require(file, std::ranges::adjacent_find(values, std::greater_equal<>{}) == values.end(),
            fmt::format("{} does not ascend", path));
}

[[nodiscard]] inline std::optional<CellId> cell_or_none(std::int64_t value)
{
    return value < 0 ? std::nullopt : std::optional{CellId{value}};
}

[[nodiscard]] inline std::optional<std::int64_t> index_or_none(std::int64_t value)
{
    return value < 0 ? std::nullopt : std::optional{value};
}

}  // namespace mees
