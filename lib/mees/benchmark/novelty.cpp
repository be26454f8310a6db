#include "mees/benchmark/bench.hpp"
#include "mees/benchmark/goals.hpp"
#include "mees/core/stream.hpp"
#include "mees/qd/novelty_archive.hpp"

#include <fmt/format.h>

namespace mees::bench {

void measure_novelty(Table& table, Options const& options)
{
    constexpr std::size_t dimensions = 4;
    constexpr int queries = 10'000;
    Stream stream{1, Purpose::test, Generation{0}};
    std::vector<double> bcs(queries * dimensions);
    for (auto& value : bcs) {
        value = stream.uniform();
    }
    struct Case {
        int entries;
        Target goal;
    };
    for (auto const& [entries, goal] :
         {Case{1'000, goals::novelty_of_1000_ms}, Case{100'000, goals::novelty_of_100000_ms}}) {
        NoveltyArchive archive{dimensions, {10, NoveltyMetric::euclidean}};
        std::array<double, dimensions> bc{};
        for (int i = 0; i < entries; ++i) {
            for (auto& value : bc) {
                value = stream.uniform();
            }
            archive.add(bc);
        }
        double const first = seconds_of(1, [&] { (void)archive.novelties(bcs); })[0];
        auto seconds = seconds_of(options.quick ? 5 : 21, [&] { (void)archive.novelties(bcs); });
        for (auto& value : seconds) {
            value *= 1e3;
        }
        auto const best = spread_of(seconds).low;
        table.add("novelty", fmt::format("10,000 queries, k 10, {} entries", entries), "ms",
                  seconds, goal);
        table.add("novelty", fmt::format("making the tree of {} entries", entries), "ms",
                  {first * 1e3 - best});
    }
}

}  // namespace mees::bench
