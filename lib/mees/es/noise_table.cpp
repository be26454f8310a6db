#include "mees/es/noise_table.hpp"

#include "mees/core/error.hpp"
#include "mees/core/threads.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <thread>
#include <vector>

namespace mees {
namespace {

constexpr Eigen::Index pairs = noise_block / 2;
using Lane = Eigen::Array<float, pairs, 1>;

/// Box-Muller on a complete block: the radius from one half of the draws, the angle from the other.
void make_block(std::uint64_t seed, std::int64_t block, std::span<float, noise_block> values)
{
    thread_local Lane radius_draw;
    thread_local Lane angle_draw;
    auto const key =
        std::array{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)};
    constexpr float scale = 0x1.0p-24F;
    for (std::uint32_t i = 0; i < pairs / 2; ++i) {
        auto const words =
            philox({i, static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
                    static_cast<std::uint32_t>(Purpose::noise_table)},
                   key);
        radius_draw[2 * i] = (static_cast<float>(words[0] >> 8U) + 1.0F) * scale;
        radius_draw[2 * i + 1] = (static_cast<float>(words[1] >> 8U) + 1.0F) * scale;
        angle_draw[2 * i] = static_cast<float>(words[2] >> 8U) * scale;
        angle_draw[2 * i + 1] = static_cast<float>(words[3] >> 8U) * scale;
    }
    Eigen::Map<Lane> first{values.data()};
    Eigen::Map<Lane> second{values.data() + pairs};
    radius_draw = (-2.0F * radius_draw.log()).sqrt();
    angle_draw *= 2.0F * std::numbers::pi_v<float>;
    first = radius_draw * angle_draw.cos();
    second = radius_draw * angle_draw.sin();
}

}  // namespace

void fill_noise(std::span<float> table, std::uint64_t seed, std::int64_t first_block,
                std::int64_t last_block)
{
    std::vector<float> block_values(noise_block);
    auto const size = static_cast<std::int64_t>(table.size());
    for (auto block = first_block; block < last_block; ++block) {
        auto const begin = block * noise_block;
        auto const count = std::min(noise_block, size - begin);
        make_block(seed, block, std::span<float, noise_block>{block_values.data(), noise_block});
        std::copy_n(block_values.data(), count, table.data() + begin);
    }
}

TableMemory make_noise_table(std::int64_t size, std::uint64_t seed, unsigned threads)
{
    TableMemory table(static_cast<std::size_t>(size));
    auto const blocks = noise_blocks(size);
    auto const workers = static_cast<std::int64_t>(std::max(threads, 1U));
    std::vector<std::jthread> pool;
    for (std::int64_t worker = 0; worker < workers; ++worker) {
        start_thread(pool, [&, worker] {
            fill_noise(table, seed, blocks * worker / workers, blocks * (worker + 1) / workers);
        });
    }
    pool.clear();  // joins the threads
    return table;
}

NoiseOffset draw_offset(Stream& stream, std::int64_t table_size, std::int64_t length)
{
    expects(length <= table_size, "the noise table holds a slice");
    return NoiseOffset{stream.below(table_size - length + 1)};
}

}  // namespace mees
