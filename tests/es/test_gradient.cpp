#include "catch.hpp"
#include "mees/core/stream.hpp"
#include "mees/es/gradient.hpp"
#include "mees/es/noise_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

using namespace mees;

// scipy.stats.rankdata (ties share the mean), minus 1, over n - 1, minus 0.5.
TEST_CASE("centred ranks share ties")
{
    std::vector<double> const expected{0.3, -0.4, 0.0, 0.0, 0.5, -0.4};
    auto const ranks = centred_ranks(std::array{3.0, -1.0, 2.0, 2.0, 7.5, -1.0});
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CHECK(ranks[i] == Approx(expected[i]).margin(1e-15));
    }
    CHECK(centred_ranks(std::array{4.0, 4.0, 4.0}) == std::vector{0.0, 0.0, 0.0});
    CHECK(centred_ranks(std::array{4.0}) == std::vector{0.0});
    CHECK(centred_ranks(std::array{1.0, -1.0}) == std::vector{0.5, -0.5});
    CHECK(centred_ranks(std::array{0.0, -0.0}) == std::vector{0.0, 0.0});
    CHECK(centred_ranks(std::array{-1e300, -1e-310, 0.0, 1e-310, 1e300})
          == std::vector{-0.5, -0.25, 0.0, 0.25, 0.5});
}

// A value's rank is the number of smaller ones and half the number of other equal ones.
TEST_CASE("centred ranks of many values")
{
    Stream stream{1, Purpose::test, Generation{0}};
    std::vector<double> values(3'000);
    for (auto& value : values) {
        double const magnitude = stream.uniform() < 0.3 ? 1e-3 : 1e4;
        value = magnitude * std::round(100 * stream.normal());
    }
    auto const ranks = centred_ranks(values);
    for (std::size_t i = 0; i < values.size(); i += 7) {
        auto const smaller = std::ranges::count_if(values, [&](double v) { return v < values[i]; });
        auto const equal = std::ranges::count(values, values[i]);
        double const rank = static_cast<double>(smaller) + 0.5 * static_cast<double>(equal - 1);
        REQUIRE(ranks[i] == rank / 2'999 - 0.5);
    }
}

TEST_CASE("pair weights are rank+ - rank-")
{
    CHECK(pair_weights(std::array{0.5, -0.5, 0.25, 0.25}) == std::vector{1.0F, 0.0F});
}

// By hand: 2 * table[1..3] - 1 * table[4..6] with table[i] = i.
TEST_CASE("weighted noise sums slices in order")
{
    std::vector<float> table(16);
    std::iota(table.begin(), table.end(), 0.0F);
    std::array const offsets{NoiseOffset{1}, NoiseOffset{4}};
    std::array<float, 3> sums{};
    sum_weighted_noise(table, offsets, std::array{2.0F, -1.0F}, 0, sums);
    CHECK(sums == std::array{2 * 1.F - 4.F, 2 * 2.F - 5.F, 2 * 3.F - 6.F});
}

// By hand, with the same table: 2 * {1, 2} - {4, 5} and 2 * {1, 4} - {16, 25}.
TEST_CASE("moments of noise are weighted sums of slices and of their squares")
{
    std::vector<float> table(8);
    std::iota(table.begin(), table.end(), 0.0F);
    std::array const offsets{NoiseOffset{1}, NoiseOffset{4}};
    auto const moments = noise_moments(table, offsets, std::array{2.0, -1.0}, 2);
    CHECK(moments.first == Eigen::Vector2d(-2, -1));
    CHECK(moments.second == Eigen::Vector2d(-14, -17));
}

TEST_CASE("splitting the parameter axis changes no bit")
{
    auto const table = make_noise_table(100'000, 5, 1);
    Stream stream{1, Purpose::test, Generation{0}};
    constexpr std::int64_t size = 10'007;
    std::vector<NoiseOffset> offsets;
    std::vector<float> weights;
    for (int i = 0; i < 50; ++i) {
        offsets.push_back(draw_offset(stream, 100'000, size));
        weights.push_back(static_cast<float>(stream.uniform(-1, 1)));
    }
    std::vector<float> whole(size);
    sum_weighted_noise(table, offsets, weights, 0, whole);
    for (std::int64_t const parts : {2, 3, 17}) {
        std::vector<float> joined(size);
        for (std::int64_t part = 0; part < parts; ++part) {
            auto const begin = size * part / parts;
            auto const end = size * (part + 1) / parts;
            sum_weighted_noise(table, offsets, weights, begin,
                               std::span{joined}.subspan(static_cast<std::size_t>(begin),
                                                         static_cast<std::size_t>(end - begin)));
        }
        CHECK(joined == whole);
    }
}
