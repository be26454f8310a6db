#include "catch.hpp"
#include "mees/es/gradient.hpp"
#include "mees/es/noise_table.hpp"
#include "mees/es/optimiser.hpp"
#include "mees/es/perturbation.hpp"

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

TEST_CASE("the noise table is the same whoever fills it, and every slice is standard normal",
          "[threads]")
{
    constexpr std::int64_t size = 1'000'003;
    auto const table = make_noise_table(size, 42, 1);
    CHECK(make_noise_table(size, 42, 3) == table);
    CHECK(make_noise_table(size, 43, 1) != table);

    Stream stream{1, Purpose::test, Generation{0}};
    constexpr std::int64_t length = 20'000;
    for (int slice = 0; slice < 20; ++slice) {
        auto const offset = draw_offset(stream, size, length).value();
        std::vector<double> values(table.begin() + offset, table.begin() + offset + length);
        double mean = 0;
        double square = 0;
        double fourth = 0;
        double neighbours = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            mean += values[i] / length;
            square += values[i] * values[i] / length;
            fourth += std::pow(values[i], 4) / length;
            neighbours += i > 0 ? values[i] * values[i - 1] / length : 0;
        }
        double const error = 1 / std::sqrt(double{length});
        CHECK(std::abs(mean) < 5 * error);
        CHECK(std::abs(square - 1) < 5 * std::sqrt(2.0) * error);
        CHECK(std::abs(fourth - 3) < 5 * std::sqrt(96.0) * error);
        CHECK(std::abs(neighbours) < 5 * error);
        // Kolmogorov-Smirnov distance; 1.95 / sqrt(n) is the 0.1 % point.
        std::ranges::sort(values);
        double distance = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            double const cdf = 0.5 * std::erfc(-values[i] / std::sqrt(2.0));
            distance = std::max(distance, std::abs(cdf - (double(i) + 0.5) / length));
        }
        CHECK(distance < 1.95 * error);
    }
    CHECK(*std::ranges::max_element(table) > 4.4F);
    CHECK(std::ranges::all_of(table, [](float x) { return std::isfinite(x); }));
}

TEST_CASE("the table's pieces are uncorrelated with each other")
{
    constexpr std::int64_t length = 50'000;
    auto const table = make_noise_table(20 * length, 42, 1);
    for (std::int64_t i = 1; i < 20; ++i) {
        double product = 0;
        for (std::int64_t j = 0; j < length; ++j) {
            product += double{table[static_cast<std::size_t>(j)]}
                       * double{table[static_cast<std::size_t>(i * length + j)]};
        }
        CHECK(std::abs(product / length) < 5 / std::sqrt(double{length}));
    }
}

TEST_CASE("offsets reach both ends of the table")
{
    Stream stream{1, Purpose::test, Generation{0}};
    std::int64_t lowest = 1000;
    std::int64_t highest = 0;
    for (int i = 0; i < 2000; ++i) {
        auto const offset = draw_offset(stream, 100, 90).value();
        lowest = std::min(lowest, offset);
        highest = std::max(highest, offset);
    }
    CHECK(lowest == 0);
    CHECK(highest == 10);
}

namespace {

Eigen::VectorXf vector(std::initializer_list<float> values)
{
    Eigen::VectorXf result(static_cast<Eigen::Index>(values.size()));
    std::copy(values.begin(), values.end(), result.data());
    return result;
}

}  // namespace

// numpy in float64, from the formula: three steps on -g + 0.005 theta.
TEST_CASE("Adam follows Kingma and Ba on -g + l2 theta")
{
    std::array const gradients{vector({0.1F, -0.2F, 0.3F}), vector({-0.4F, 0.05F, 0}),
                               vector({0.2F, 0.2F, -0.7F})};
    double const expected[3][3] = {
        {1.0099999667129775, -2.0099999833564612, 0.5099999893705066},
        {1.0042843119205858, -2.014145215402881, 0.5166365057536261},
        {1.002996068959097, -2.0117124565654567, 0.5127518266543842},
    };
    auto theta = vector({1, -2, 0.5F});
    OptimiserState state;
    for (int t = 0; t < 3; ++t) {
        theta = optimiser_step({}, state, theta, gradients[static_cast<std::size_t>(t)]);
        for (int i = 0; i < 3; ++i) {
            CHECK(theta[i] == Approx(expected[t][i]).epsilon(2e-7));
        }
    }
    CHECK(state.steps == 3);
}

TEST_CASE("SGD takes lr times the same gradient")
{
    OptimiserState state;
    OptimiserSettings const settings{.kind = OptimiserKind::sgd};
    auto const theta =
        optimiser_step(settings, state, vector({1, -2, 0.5F}), vector({0.1F, -0.2F, 0.3F}));
    CHECK(theta[0] == Approx(1.00095).epsilon(1e-7));
    CHECK(theta[1] == Approx(-2.0019).epsilon(1e-7));
    CHECK(theta[2] == Approx(0.502975).epsilon(1e-7));
    CHECK(state.first_moment.size() == 0);
}

TEST_CASE("members of a group lie where the group says")
{
    auto const controller = [](std::initializer_list<float> values) {
        return std::make_shared<Controller const>(
            Controller{vector(values), Normaliser::identity(1)});
    };
    std::vector<float> const noise{1, 2, 3, 4, 5};
    std::array<float, 2> theta{};
    Group group;
    group.centre = controller({10, 20});
    SECTION("no offsets: the centre")
    {
        REQUIRE(group.members() == 1);
        perturb(group, 0, noise, theta);
        CHECK(theta == std::array{10.F, 20.F});
    }
    SECTION("mirrored pairs")
    {
        group.sigma = 0.5F;
        group.mirrored = true;
        group.offsets = {NoiseOffset{0}, NoiseOffset{3}};
        REQUIRE(group.members() == 4);
        perturb(group, 2, noise, theta);
        CHECK(theta == std::array{12.F, 22.5F});
        perturb(group, 3, noise, theta);
        CHECK(theta == std::array{8.F, 17.5F});
    }
    SECTION("iso+line")
    {
        group.sigma = 1;
        group.offsets = {NoiseOffset{1}};
        group.toward = controller({30, 0});
        group.line = {0.25F};
        perturb(group, 0, noise, theta);
        CHECK(theta == std::array{10 + 2 + 5.F, 20 + 3 - 5.F});
    }
}
