#include "mees/es/gradient.hpp"

#include "mees/core/error.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <numeric>

namespace mees {
namespace {

/// Parameters summed at a time: their sums stay in the second-level cache while all slices pass by,
/// and a slice is read in long pieces, which memory gives fastest.
constexpr std::int64_t block_size = 40'000;
/// Slices summed at a time: sums are read and written once for both. More streams are slower.
constexpr std::size_t slices_at_once = 2;
/// Floats in a cache line.
constexpr std::int64_t line = 16;
/// How far ahead of its use noise is prefetched; past a slice's end, the next slice's beginning is.
constexpr std::int64_t floats_ahead = 512;

using FourFloats = float __attribute__((vector_size(16)));
using FourDoubles = double __attribute__((vector_size(32)));

/// A few slices of noise at one block of parameters.
struct Slices {
    std::array<float const*, slices_at_once> noise;
    std::array<double, slices_at_once> weights;
};

/// sums += w0 n0, then += w1 n1, ...: the order of the slices, for each parameter by itself.
template <std::size_t Count>
void add_slices(Slices const& slices, Slices const& next, std::int64_t length, double* sums)
{
    auto const ahead = std::min(floats_ahead, length);
    std::int64_t j = 0;
    for (; j + line <= length; j += line) {
        for (std::size_t i = 0; i < Count; ++i) {
            __builtin_prefetch(j + ahead < length ? slices.noise[i] + j + ahead
                                                  : next.noise[i] + j + ahead - length);
        }
        for (std::int64_t k = j; k < j + line; k += 4) {
            FourDoubles total;
            std::memcpy(&total, sums + k, sizeof total);
            for (std::size_t i = 0; i < Count; ++i) {
                FourFloats values;
                std::memcpy(&values, slices.noise[i] + k, sizeof values);
                total += slices.weights[i] * __builtin_convertvector(values, FourDoubles);
            }
            std::memcpy(sums + k, &total, sizeof total);
        }
    }
    for (; j < length; ++j) {
        for (std::size_t i = 0; i < Count; ++i) {
            sums[j] += slices.weights[i] * static_cast<double>(slices.noise[i][j]);
        }
    }
}

/// A value as an integer that has the same order, and its place.
struct Keyed {
    std::uint64_t key;
    std::uint32_t index;
};

Keyed keyed(double value, std::size_t index)
{
    constexpr auto sign = std::uint64_t{1} << 63U;
    auto const bits = std::bit_cast<std::uint64_t>(value + 0.0);  // -0 equals 0
    return {(bits & sign) != 0 ? ~bits : bits | sign, static_cast<std::uint32_t>(index)};
}

/// In ascending order. Digit by digit, the lowest first: for many values several times as fast as
/// comparing them.
std::vector<Keyed> sorted_values(std::span<double const> values)
{
    constexpr unsigned digit = 8;  // bits
    constexpr std::size_t digits = 64 / digit;
    constexpr std::size_t most = (1U << digit) - 1;
    std::vector<Keyed> sorted(values.size());
    std::array<std::array<std::uint32_t, most + 1>, digits> counts{};
    for (std::size_t i = 0; i < values.size(); ++i) {
        sorted[i] = keyed(values[i], i);
        for (std::size_t k = 0; k < digits; ++k) {
            ++counts[k][(sorted[i].key >> (k * digit)) & most];
        }
    }
    std::vector<Keyed> next(values.size());
    for (std::size_t k = 0; k < digits; ++k) {
        auto const of = [k](Keyed const& value) { return (value.key >> (k * digit)) & most; };
        if (counts[k][of(sorted.front())] == values.size()) {
            continue;
        }
        std::array<std::uint32_t, most + 1> places{};
        std::exclusive_scan(counts[k].begin(), counts[k].end(), places.begin(), 0U);
        for (auto const& value : sorted) {
            next[places[of(value)]++] = value;
        }
        sorted.swap(next);
    }
    return sorted;
}

}  // namespace

std::vector<double> centred_ranks(std::span<double const> values)
{
    auto const count = values.size();
    std::vector<double> ranks(count, 0.0);
    if (count < 2) {
        return ranks;
    }
    auto const sorted = sorted_values(values);
    for (std::size_t begin = 0; begin < count;) {
        auto end = begin + 1;
        while (end < count && sorted[end].key == sorted[begin].key) {
            ++end;
        }
        double const shared_rank = 0.5 * static_cast<double>(begin + end - 1);
        for (auto i = begin; i < end; ++i) {
            ranks[sorted[i].index] = shared_rank / static_cast<double>(count - 1) - 0.5;
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
    auto const slices_from = [&](std::size_t i, std::int64_t begin) {
        Slices slices{};
        for (std::size_t k = 0; k < slices_at_once && i + k < offsets.size(); ++k) {
            slices.noise[k] = noise.data() + offsets[i + k].value() + first + begin;
            slices.weights[k] = static_cast<double>(weights[i + k]);
        }
        return slices;
    };
    std::vector<double> block(static_cast<std::size_t>(std::min(block_size, size)));
    for (std::int64_t begin = 0; begin < size; begin += block_size) {
        auto const length = std::min(block_size, size - begin);
        std::ranges::fill(block, 0.0);
        std::size_t i = 0;
        for (; i + slices_at_once <= offsets.size(); i += slices_at_once) {
            bool const more = i + 2 * slices_at_once <= offsets.size();
            auto const here = slices_from(i, begin);
            add_slices<slices_at_once>(here, more ? slices_from(i + slices_at_once, begin) : here,
                                       length, block.data());
        }
        for (; i < offsets.size(); ++i) {
            auto const here = slices_from(i, begin);
            add_slices<1>(here, here, length, block.data());
        }
        std::transform(block.begin(), block.begin() + length, sums.begin() + begin,
                       [](double sum) { return static_cast<float>(sum); });
    }
}

NoiseMoments noise_moments(std::span<float const> noise, std::span<NoiseOffset const> offsets,
                           std::span<double const> weights, std::int64_t size)
{
    expects(offsets.size() == weights.size(), "one weight per slice");
    NoiseMoments sums{Eigen::VectorXd::Zero(size), Eigen::VectorXd::Zero(size)};
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        auto const offset = offsets[i].value();
        expects(offset >= 0 && offset + size <= std::ssize(noise), "noise slice within the table");
        Eigen::Map<Eigen::VectorXf const> const slice{noise.data() + offset, size};
        sums.first += weights[i] * slice.cast<double>();
        sums.second += weights[i] * slice.cast<double>().cwiseAbs2();
    }
    return sums;
}

}  // namespace mees
