#include "catch.hpp"
#include "mees/es/noise_table.hpp"

#include <algorithm>
#include <cmath>

using namespace mees;

TEST_CASE("the noise table does not depend on who fills it, and every slice is standard normal",
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
