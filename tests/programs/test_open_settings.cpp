#include "catch.hpp"
#include "mees/core/error.hpp"
#include "mees/experiment/problem.hpp"
#include "mees/programs/detail/open_settings.hpp"

#include <filesystem>

using namespace mees;
using Catch::Matchers::ContainsSubstring;
using Overrides = std::vector<std::string>;

namespace {

Settings completed(std::string const& toml, Overrides const& overrides = {})
{
    Catalogue const catalogue;
    TaskSpec const spec{.lowest_fitness = -7};
    return complete(parse_configuration(toml, "test", overrides, catalogue.names()), catalogue,
                    spec);
}

/// Truncation and elite_candidates of this many children.
std::pair<std::int64_t, std::int64_t> selected(std::string const& algorithm, int children,
                                               Overrides overrides = {})
{
    overrides.push_back("algorithm.name=" + algorithm);
    overrides.push_back("algorithm.children=" + std::to_string(children));
    auto const settings = completed("", overrides).algorithm;
    return {settings.truncation, settings.elite_candidates};
}

/// The presets that need nothing but their own files.
std::vector<std::filesystem::path> presets()
{
    std::vector<std::filesystem::path> files;
    for (auto const& entry :
         std::filesystem::directory_iterator{std::filesystem::path{MEES_SOURCE_DIR} / "configs"}) {
        auto const& file = entry.path();
        if (file.extension() == ".toml" && !file.filename().string().starts_with("gym_")) {
            files.push_back(file);
        }
    }
    return files;
}

/// Every algorithm, with each optimiser of emitters.
std::vector<Overrides> choices(Catalogue const& catalogue)
{
    std::vector<Overrides> all;
    for (auto const& algorithm : catalogue.algorithms.known()) {
        auto const name = "algorithm.name=" + algorithm.name;
        all.push_back({name});
        if (algorithm.names(KeyGroup::improvement)) {
            all.push_back({name, "algorithm.emitter_optimizer=sep-cma-es"});
        }
    }
    return all;
}

}  // namespace

TEST_CASE("the floor of the thresholds is the offset of the QD score unless it is set")
{
    CHECK(completed("", {"algorithm.name=cma-mae"}).algorithm.threshold_floor == -7);
    CHECK(completed("", {"algorithm.name=cma-mae", "algorithm.threshold_floor=2"})
              .algorithm.threshold_floor
          == 2);
    CHECK(completed("").map.qd_offset == -7);
}

TEST_CASE("at most half of a few children are parents unless it is set otherwise")
{
    using Pair = std::pair<std::int64_t, std::int64_t>;
    CHECK(selected("ga", 334) == Pair{20, 10});
    CHECK(selected("ga", 21) == Pair{20, 10});
    CHECK(selected("ga", 17) == Pair{9, 9});
    CHECK(selected("ns", 17).first == 9);
    CHECK(selected("ns", 20).first == 10);
    CHECK(selected("nslc", 1).first == 1);
    CHECK(selected("ga", 17, {"algorithm.truncation=4"}) == Pair{4, 4});
    CHECK(selected("ga", 17, {"algorithm.truncation=18"}) == Pair{18, 10});
    CHECK(selected("ga", 17, {"algorithm.elite_candidates=10"}) == Pair{9, 10});
    CHECK(selected("me-ga", 17) == Pair{20, 10});  // has neither
    CHECK(selected("cma-mega", 17) == Pair{20, 10});
}

TEST_CASE("more parents than children are refused")
{
    Catalogue const catalogue;
    for (auto const* name : {"ga", "ns", "nslc"}) {
        auto const settings = completed("", {std::string{"algorithm.name="} + name,
                                             "algorithm.children=17", "algorithm.truncation=18"});
        auto const message =
            message_of<ConfigError>([&] { catalogue.algorithms.find(name).check(settings); });
        CHECK_THAT(message, ContainsSubstring("invalid algorithm.truncation = 18"));
    }
}

TEST_CASE("every preset accepts every algorithm")
{
    Catalogue const catalogue;
    REQUIRE(presets().size() > 30);
    for (auto const& preset : presets()) {
        auto const domain =
            catalogue.domains.make(read_settings(preset, {}, catalogue.names()).domain);
        for (auto const& overrides : choices(catalogue)) {
            INFO(preset << " " << overrides.front());
            auto const configuration = read_configuration(preset, overrides, catalogue.names());
            auto const settings = complete(configuration, catalogue, domain->spec());
            CHECK_NOTHROW(make_problem(settings, domain->spec(), catalogue.algorithms,
                                       {.placeholders = true}));
        }
    }
}
