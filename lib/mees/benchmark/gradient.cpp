#include "mees/es/gradient.hpp"
#include "mees/benchmark/bench.hpp"
#include "mees/benchmark/goals.hpp"
#include "mees/es/noise_table.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <thread>

namespace mees::bench {
namespace {

constexpr std::int64_t parameters = 75'016;  // the Ant's controller

/// Reads the parameters begin .. end - 1 of every slice once, at the speed of one core; the sum
/// only prevents the compiler from removing the loop.
float read_slices(std::span<float const> noise, std::span<NoiseOffset const> offsets,
                  std::int64_t begin, std::int64_t end)
{
    using Eight = float __attribute__((vector_size(32)));
    std::array<Eight, 8> sums{};
    for (auto const offset : offsets) {
        float const* slice = noise.data() + offset.value();
        for (std::int64_t j = begin; j + 64 <= end; j += 64) {
            for (std::size_t k = 0; k < sums.size(); ++k) {
                Eight values;
                std::memcpy(&values, slice + j + 8 * static_cast<std::int64_t>(k), sizeof values);
                sums[k] += values;
            }
        }
    }
    float total = 0;
    for (auto const& sum : sums) {
        for (int lane = 0; lane < 8; ++lane) {
            total += sum[lane];
        }
    }
    return total;
}

/// Calls work(begin, end) on two threads, each with half of the parameters.
template <class Work>
void on_two_threads(Work const& work)
{
    std::jthread const other{[&] { work(0, parameters / 2); }};
    work(parameters / 2, parameters);
}

/// Milliseconds for one rank's share of the parameters among `ranks`. The slices come from memory,
/// as in a run: other data is read in between.
template <class Read>
std::vector<double> part_milliseconds(std::span<float const> noise,
                                      std::span<NoiseOffset const> offsets,
                                      std::span<float const> weights, std::int64_t ranks,
                                      int repeats, Read const& read)
{
    std::vector<float> sums(static_cast<std::size_t>((parameters + ranks - 1) / ranks));
    std::vector<double> result;
    for (int i = 0; i < repeats; ++i) {
        read();
        auto const first = parameters / repeats * i;
        result.push_back(1e3 * seconds_of(1, [&] {
                             sum_weighted_noise(noise, offsets, weights, first, sums);
                         })[0]);
    }
    return result;
}

}  // namespace

void measure_gradient(Table& table, Options const& options)
{
    auto const size = std::int64_t{options.quick ? 25'000'000 : 250'000'000};
    int const repeats = options.quick ? 5 : 11;
    TableMemory noise;
    table.add("gradient", "noise table, one core", "ns/value",
              {seconds_of(1, [&] { noise = make_noise_table(size, 42, 1); })[0] * 1e9
               / static_cast<double>(size)});
    Stream draws{1, Purpose::test, Generation{0}};
    std::vector<NoiseOffset> offsets;
    for (int i = 0; i < 5000; ++i) {
        offsets.push_back(draw_offset(draws, size, parameters));
    }
    std::vector<float> weights(offsets.size());
    draws.fill_normal(weights);
    std::vector<float> sums(parameters);
    float volatile sink = 0;
    auto const read_part = [&](auto begin, auto end) {
        sink = read_slices(noise, offsets, begin, end);
    };
    auto const sum_part = [&](auto begin, auto end) {
        sum_weighted_noise(noise, offsets, weights, begin,
                           std::span{sums}.subspan(static_cast<std::size_t>(begin),
                                                   static_cast<std::size_t>(end - begin)));
    };
    auto const read = [&] { read_part(0, parameters); };
    table.add("gradient", "5,000 pairs x 75,016, over one read", "x",
              ratios(
                  repeats, [&] { sum_part(0, parameters); }, read),
              goals::gradient);
    table.add("gradient", "the same on two threads", "x",
              ratios(
                  repeats, [&] { on_two_threads(sum_part); }, read, wall_seconds),
              goals::gradient_on_two_threads);
    table.add("gradient", "two threads that only read", "x",
              ratios(
                  repeats, [&] { on_two_threads(read_part); }, read, wall_seconds));
    table.add("gradient", "one read of the 1.5 GB", "s", seconds_of(repeats, read));
    auto const tenth = offsets.size() / 10;
    table.add("gradient", "the best tenth of the pairs, over all", "x",
              ratios(
                  repeats,
                  [&] {
                      sum_weighted_noise(noise, std::span{offsets}.first(tenth),
                                         std::span{weights}.first(tenth), 0, sums);
                  },
                  [&] { sum_part(0, parameters); }),
              goals::gradient_of_a_tenth);
    for (auto const& [ranks, name] : {std::pair{512, "512"}, std::pair{10'000, "10,000"}}) {
        table.add("gradient", fmt::format("one rank's part of {}", name), "ms",
                  part_milliseconds(noise, offsets, weights, ranks, repeats, read));
    }
}

}  // namespace mees::bench
