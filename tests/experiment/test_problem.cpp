#include "catch.hpp"
#include "mees/core/error.hpp"
#include "mees/experiment/problem.hpp"

#include <algorithm>
#include <sstream>
#include <string>

using namespace mees;

namespace {

/// A domain whose BC has this many dimensions, by default of 10 bins each.
TaskSpec domain_of(std::size_t dimensions)
{
    TaskSpec spec{.name = "many"};
    spec.bc_names.assign(dimensions, "foot");
    spec.bc_lower.assign(dimensions, 0);
    spec.bc_upper.assign(dimensions, 1);
    spec.bc_bins.assign(dimensions, 10);
    return spec;
}

}  // namespace

TEST_CASE("chains need time for the last link")
{
    auto spec = domain_of(2);
    spec.observation_size = 3;
    spec.action_size = 1;
    spec.episode_steps = 100;
    Settings settings;
    settings.noise.table_size = 10'000'000;
    settings.algorithm.chain_links = 3;
    auto const make = [&] { static_cast<void>(make_problem(settings, spec, {}, {})); };
    settings.algorithm.chain_steps = 49;  // the last link acts for 2 of 100 steps
    CHECK_NOTHROW(make());
    settings.algorithm.chain_steps = 50;
    CHECK_THAT(message_of<ConfigError>(make),
               Catch::Matchers::ContainsSubstring("2 links act for 100 control steps")
                   && Catch::Matchers::ContainsSubstring("at most 49"));
    settings.algorithm.chain_steps = 1'000'000'000;
    settings.algorithm.chain_links = 1;
    CHECK_NOTHROW(make());
    settings.algorithm.chain_links = 1000;
    settings.algorithm.name = "ns-es";  // makes no chains: these keys have no effect
    CHECK_NOTHROW(make());
}

TEST_CASE("the limit of cells also holds for a domain's own bins")
{
    CHECK(make_space({}, domain_of(12)).cells() == 1'000'000'000'000);
    for (std::size_t const dimensions : {13, 40}) {
        auto const message = message_of<ConfigError>(
            [&] { static_cast<void>(make_space({}, domain_of(dimensions))); });
        CHECK(message.find("the limit is 1e+12 cells") != std::string::npos);
        CHECK(message.find("map.bins") != std::string::npos);
        CHECK(message.find("cvt") != std::string::npos);
    }
    MapSettings coarse;
    coarse.bins.assign(40, 1);
    coarse.bins.front() = 7;
    CHECK(make_space(coarse, domain_of(40)).cells() == 7);
    MapSettings scattered;
    scattered.type = MapType::cvt;
    scattered.cvt_cells = 5;
    scattered.cvt_samples = 50;
    CHECK(make_space(scattered, domain_of(40)).cells() == 5);
}

TEST_CASE("the progress of centroids is shown")
{
    MapSettings settings;
    settings.type = MapType::cvt;
    settings.cvt_cells = 20;
    settings.cvt_samples = 2000;
    std::ostringstream shown;
    auto const space =
        make_space(settings, domain_of(2), {.progress = &shown, .seconds_between_lines = -1});
    CHECK(std::ranges::count(shown.str(), '\n') == 30);
    CHECK_THAT(shown.str(), Catch::Matchers::StartsWith(
                                "computing 20 centroids of the map: iteration 1 of 30\n"));
    shown.str("");
    CHECK(make_space(settings, domain_of(2), {.progress = &shown}).centroids()
          == space.centroids());
    CHECK(shown.str().empty());  // it takes less than three seconds
}
