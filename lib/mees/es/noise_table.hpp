#pragma once

#include "mees/core/ids.hpp"
#include "mees/core/stream.hpp"
#include "mees/es/table_memory.hpp"

#include <cstdint>
#include <span>

namespace mees {

/// A table of standard normal float32 values made from a seed alone, block by block, so that any
/// number of threads or ranks can fill it together and the values are always the same.
inline constexpr std::int64_t noise_block = 4096;

[[nodiscard]] constexpr std::int64_t noise_blocks(std::int64_t table_size)
{
    return (table_size + noise_block - 1) / noise_block;
}

/// Fills blocks first .. last - 1 of `table`.
void fill_noise(std::span<float> table, std::uint64_t seed, std::int64_t first_block,
                std::int64_t last_block);

/// A table in this process's own memory.
[[nodiscard]] TableMemory make_noise_table(std::int64_t size, std::uint64_t seed, unsigned threads);

/// Where a slice of `length` values may begin, drawn uniformly.
[[nodiscard]] NoiseOffset draw_offset(Stream& stream, std::int64_t table_size, std::int64_t length);

}  // namespace mees
