#include "catch.hpp"
#include "mees/core/stream.hpp"
#include "mees/es/gradient.hpp"
#include "mees/es/noise_table.hpp"

#include <algorithm>
#include <array>
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
