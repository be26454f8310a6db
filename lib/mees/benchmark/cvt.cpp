#include "mees/benchmark/bench.hpp"
#include "mees/benchmark/goals.hpp"
#include "mees/qd/centroids.hpp"

#include <fmt/format.h>

#include <array>
#include <thread>

namespace mees::bench {

void measure_cvt(Table& table, Options const& options)
{
    constexpr std::array<double, 4> lower{};
    constexpr std::array<double, 4> upper{1, 1, 1, 1};
    struct Case {
        std::int64_t cells;
        std::int64_t samples;
        Target goal;
    };
    std::vector<Case> cases{{10'000, 50'000, goals::cvt_of_10000_seconds}};
    if (!options.quick) {
        cases.push_back({100'000, 500'000, goals::cvt_of_100000_seconds});
    }
    auto const threads = std::max(1U, std::thread::hardware_concurrency());
    for (auto const& [cells, samples, goal] : cases) {
        LloydSettings const settings{.cells = cells, .samples = samples, .threads = threads};
        table.add("cvt", fmt::format("{} cells, four dimensions, all cores", cells), "s",
                  seconds_of(1, [&] { (void)lloyd_centroids(settings, lower, upper); }), goal);
    }
}

}  // namespace mees::bench
