#include "mees/es/gradient.hpp"

#include "mees/core/error.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace mees {
namespace {

/// Parameters summed at a time: their sums stay in the first-level cache while all slices pass by.
constexpr std::int64_t block_size = 2048;

}  // namespace

std::vector<double> centred_ranks(std::span<double const> values)
{
    auto const count = values.size();
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&](auto a, auto b) {
        return values[a] != values[b] ? values[a] < values[b] : a < b;
    });
    std::vector<double> ranks(count, 0.0);
    if (count < 2) {
        return ranks;
    }
    for (std::size_t begin = 0; begin < count;) {
        auto end = begin + 1;
        while (end < count && values[order[end]] == values[order[begin]]) {
            ++end;
        }
        double const shared_rank = 0.5 * static_cast<double>(begin + end - 1);
        for (auto i = begin; i < end; ++i) {
            ranks[order[i]] = shared_rank / static_cast<double>(count - 1) - 0.5;
        }
        begin = end;
    }
    return ranks;
}

std::vector<float> pair_weights(std::span<double const> ranks)
{
    expects(ranks.size() % 2 == 0, "ranks of mirrored pairs");
    std::vector<float> weights(ranks.size() / 2);
    for (std::size_t pair = 0; pair < weights.size(); ++pair) {
        weights[pair] = static_cast<float>(ranks[2 * pair] - ranks[2 * pair + 1]);
    }
    return weights;
}

void sum_weighted_noise(std::span<float const> noise, std::span<NoiseOffset const> offsets,
                        std::span<float const> weights, std::int64_t first, std::span<float> sums)
{
    expects(offsets.size() == weights.size(), "one weight per slice");
    auto const size = static_cast<std::int64_t>(sums.size());
    std::array<double, block_size> block{};
    for (std::int64_t begin = 0; begin < size; begin += block_size) {
        auto const length = std::min(block_size, size - begin);
        block.fill(0);
        for (std::size_t i = 0; i < offsets.size(); ++i) {
            float const* slice = noise.data() + offsets[i].value() + first + begin;
            auto const weight = static_cast<double>(weights[i]);
            for (std::int64_t j = 0; j < length; ++j) {
                block[static_cast<std::size_t>(j)] += weight * static_cast<double>(slice[j]);
            }
        }
        std::transform(block.begin(), block.begin() + length, sums.begin() + begin,
                       [](double sum) { return static_cast<float>(sum); });
    }
}

}  // namespace mees
