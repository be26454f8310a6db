#pragma once

// Checks of the values that a file holds.

#include "mees/storage/hdf5/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
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

template <class Records, class Member>
void require_ascending(hdf5::Reader const& file, std::string const& path, Records const& records,
                       Member member)
{
    require(file,
            std::ranges::adjacent_find(records, std::greater_equal<>{}, member) == records.end(),
            fmt::format("{} does not ascend", path));
}

}  // namespace mees
