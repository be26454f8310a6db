#include "catch.hpp"

#include "mees/config/config.hpp"
#include "mees/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>

using namespace mees;
using Catch::Matchers::ContainsSubstring;

namespace {

struct OtherNumber {
    Key const& key;

    std::int64_t operator()(std::int64_t value) const { return value + 2; }
    double operator()(double value) const
    {
        double const other = value + 0.0625;
        return other <= key.range.upper ? other : value / 2;
    }
    bool operator()(bool value) const { return !value; }
    std::string operator()(std::string const& value) const { return value + "other \"name\""; }
    Choice operator()(Choice value) const
    {
        value.index = value.index == 0 ? value.names.size() - 1 : 0;
        return value;
    }
    std::vector<std::int64_t> operator()(std::vector<std::int64_t> const&) const { return {7, 8}; }
    std::vector<double> operator()(std::vector<double> const&) const { return {0.1, 2, -3e-7}; }
    std::vector<std::string> operator()(std::vector<std::string> const&) const { return {"any"}; }
    std::vector<Choice> operator()(std::vector<Choice> const&) const
    {
        return {{key.access.names, key.access.names.size() - 1}};
    }
    std::vector<Objective> operator()(std::vector<Objective> const&) const
    {
        return {{.fitness = 0.5, .novelty = 1e-7}, {.evolvability = 1}};
    }
    std::vector<RewardTermSettings> operator()(std::vector<RewardTermSettings> const&) const
    {
        return {{RewardKind::distance, "hand", "", {1, 2.5}, -3},
                {RewardKind::alive, "", "", {}, 1}};
    }
};

/// A possible value that is not the default.
Value other_value(Key const& key)
{
    return std::visit([&](auto const& value) { return Value{OtherNumber{key}(value)}; },
                      key.get(Settings{}));
}

std::string partner_of(Key const& key)
{
    if (key.full_name() == "map.lower") {
        return "upper = [1, 3, 4]\n";
    }
    if (key.full_name() == "es.sigma_limit" || key.full_name() == "es.learning_rate_limit") {
        return "sigma = 1\nlearning_rate = 1\n";
    }
    if (key.full_name() == "algorithm.confirm_margin") {
        return "confirm_offspring = 1\n";
    }
    return key.full_name() == "map.upper" ? "lower = [-1, -3, -4]\n" : "";
}

}  // namespace

TEST_CASE("the defaults are valid and the paper's")
{
    Settings const settings;
    CHECK_NOTHROW(validate(settings));
    CHECK(parse_settings("", "empty") == settings);
    CHECK(settings.es.population == 10'000);
    CHECK(settings.es.sigma == 0.02);
    CHECK(settings.es.learning_rate == 0.01);
    CHECK(settings.es.l2 == 0.005);
    CHECK(settings.noise.table_size == 250'000'000);
    CHECK(settings.noise.seed == 42);
    CHECK(settings.algorithm.n_eval == 30);
    CHECK(settings.algorithm.n_optim_gens == 10);
    CHECK(settings.algorithm.children == 334);
}

TEST_CASE("every key is described, unique, and written to and read from a file")
{
    std::vector<std::string> seen;
    for (auto const& key : schema()) {
        INFO(key.full_name());
        CHECK(std::find(seen.begin(), seen.end(), key.full_name()) == seen.end());
        seen.push_back(key.full_name());
        CHECK(key.description.ends_with('.'));
        CHECK(find_key(key.section, key.name) == &key);

        auto const value = other_value(key);
        REQUIRE(value != key.get(Settings{}));
        auto const text = fmt::format("[{}]\n{} = {}\n{}", key.section, key.name, to_toml(value),
                                      partner_of(key));
        auto const read = parse_configuration(text, "test");
        CHECK(key.get(read.settings) == value);
        CHECK(std::find(read.given.begin(), read.given.end(), key.full_name()) != read.given.end());

        auto const written = to_toml(read.settings);
        auto const again = parse_settings(written, "written");
        CHECK(again == read.settings);
        CHECK(to_toml(again) == written);
    }
}

TEST_CASE("every key can be set from the command line, over the file")
{
    for (auto const& key : schema()) {
        INFO(key.full_name());
        auto const value = other_value(key);
        auto const file = fmt::format("[{}]\n{}", key.section, partner_of(key));
        auto const read =
            parse_settings(file, "test", {fmt::format("{}={}", key.full_name(), to_toml(value))});
        CHECK(key.get(read) == value);
    }
    CHECK(parse_settings("[run]\nseed = 3", "test", {"run.seed=4", "run.seed=5"}).run.seed == 5);
}

TEST_CASE("paired_seeds is another spelling of seeds")
{
    auto const seeds = [](std::string const& toml, std::vector<std::string> const& overrides = {}) {
        auto const es = parse_settings("[es]\n" + toml, "test", overrides).es;
        CHECK(es.paired_seeds == (es.seeds == SharedSeeds::pair));
        return es.seeds;
    };
    CHECK(seeds("") == SharedSeeds::own);
    CHECK(seeds("paired_seeds = true") == SharedSeeds::pair);
    CHECK(seeds("paired_seeds = false") == SharedSeeds::own);
    CHECK(seeds("seeds = 'pair'") == SharedSeeds::pair);
    CHECK(seeds("seeds = 'generation'") == SharedSeeds::generation);
    CHECK(seeds("seeds = 'pair'\npaired_seeds = true") == SharedSeeds::pair);
    auto const message = message_of<ConfigError>(
        [&] { static_cast<void>(seeds("paired_seeds = true", {"es.seeds=generation"})); });
    CHECK_THAT(message, ContainsSubstring("es.paired_seeds = true contradicts es.seeds"));
}

TEST_CASE("overrides need neither quotes nor brackets")
{
    auto const settings = parse_settings(
        "", "test",
        {"algorithm.name=nsra-es", "policy.hidden=32,16", "domain.damage=J0,J1",
         "algorithm.objectives='fitness',novelty", "map.lower=[0, 0.5]", "map.upper=1,2",
         "domain.name=mjcf", "domain.model=my \"own\" = model.xml", "es.sigma=1"});
    CHECK(settings.algorithm.name == "nsra-es");
    CHECK(settings.policy.hidden == std::vector<std::int64_t>{32, 16});
    CHECK(settings.domain.damage == std::vector<std::string>{"J0", "J1"});
    CHECK(settings.algorithm.objectives
          == std::vector{Objective::only_fitness(), Objective::only_novelty()});
    CHECK(settings.map.lower == std::vector<double>{0, 0.5});
    CHECK(settings.map.upper == std::vector<double>{1, 2});
    CHECK(settings.domain.mjcf.model == "my \"own\" = model.xml");
    CHECK(settings.es.sigma == 1.0);
}

TEST_CASE("reward terms of an own domain are tables of their own")
{
    auto const settings = parse_settings(R"(
[domain]
name = "mjcf"
model = "walker.xml"
bc = "contact_share"
bc_geoms = ["left foot", "right foot"]

[[domain.reward]]
kind = "forward_velocity"
body = "torso"

[[domain.reward]]
kind = "control_cost"
weight = 1e-3

[[domain.reward]]
kind = "distance"
point = [3, 4]
)",
                                         "test");
    auto const& reward = settings.domain.mjcf.reward;
    REQUIRE(reward.size() == 3);
    CHECK(reward[0] == RewardTermSettings{RewardKind::forward_velocity, "torso", "", {}, 1});
    CHECK(reward[1] == RewardTermSettings{RewardKind::control_cost, "", "", {}, 0.001});
    CHECK(reward[2] == RewardTermSettings{RewardKind::distance, "", "", {3, 4}, 1});
    CHECK(parse_settings(to_toml(settings), "written") == settings);
}

TEST_CASE("numbers are written with the digits that read back to the same bits")
{
    for (double const number : {0.1, 1.0 / 3.0, 1e-12, 123456789.125, 1e22, 5e-324}) {
        Settings settings;
        settings.map.qd_offset = number;
        CHECK(parse_settings(to_toml(settings), "written").map.qd_offset == number);
    }
    CHECK(to_toml(Value{2.0}) == "2.0");
    CHECK(to_toml(Value{std::string{"a\\b\n"}}) == "\"a\\\\b\\u000A\"");
}
