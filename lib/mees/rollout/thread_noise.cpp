#include "mees/rollout/thread_noise.hpp"

#include "mees/core/error.hpp"
#include "mees/es/gradient.hpp"

#include <thread>
#include <vector>

namespace mees {

ThreadNoise::ThreadNoise(std::span<float const> values, unsigned threads)
    : values_{values}, threads_{threads}
{
    expects(threads > 0, "at least one thread");
}

Eigen::VectorXf ThreadNoise::weighted_sum(std::span<NoiseOffset const> offsets,
                                          std::span<float const> weights, std::int64_t size)
{
    Eigen::VectorXf sums(size);
    auto const threads = static_cast<std::int64_t>(threads_);
    std::vector<std::jthread> pool;
    for (std::int64_t i = 0; i < threads; ++i) {
        auto const begin = size * i / threads;
        auto const end = size * (i + 1) / threads;
        auto const part = std::span{sums.data() + begin, static_cast<std::size_t>(end - begin)};
        pool.emplace_back([this, offsets, weights, begin, part] {
            sum_weighted_noise(values_, offsets, weights, begin, part);
        });
    }
    pool.clear();
    return sums;
}

}  // namespace mees
