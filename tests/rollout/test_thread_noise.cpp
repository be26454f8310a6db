#include "catch.hpp"
#include "rollout/fake_domain.hpp"

#include "mees/es/noise_table.hpp"
#include "mees/rollout/threads.hpp"

using namespace mees;
using namespace mees::test;

TEST_CASE("weighted sums are bit-identical on any number of threads")
{
    auto const table = make_noise_table(4096, 42, 1);
    auto const batch = fake_batch(50, 4096);
    std::vector<float> weights(50);
    Stream stream{1, Purpose::test, Generation{0}};
    stream.fill_normal(weights);
    std::int64_t const size = 50;
    ThreadNoise one{table, 1};
    auto const sums = one.weighted_sum(batch.groups[1].offsets, weights, size);
    // The definition, term by term, in index order.
    for (std::int64_t j = 0; j < size; ++j) {
        double sum = 0;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            auto const offset = batch.groups[1].offsets[i].value();
            sum += static_cast<double>(weights[i])
                   * static_cast<double>(table[static_cast<std::size_t>(offset + j)]);
        }
        REQUIRE(sums[j] == static_cast<float>(sum));
    }
    for (unsigned const threads : {2U, 5U, 64U}) {
        ThreadNoise many{table, threads};
        CHECK(many.weighted_sum(batch.groups[1].offsets, weights, size) == sums);
    }
}
