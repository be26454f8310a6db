#include "catch.hpp"

#include "mees/config/config.hpp"

#include <fmt/format.h>

using namespace mees;

TEST_CASE("a choice has one name, and only that name is read")
{
    STATIC_REQUIRE(name_of(SearchMode::explore_exploit) == "explore-exploit");
    STATIC_REQUIRE(choice_named<Integrator>("rk4") == Integrator::rk4);
    STATIC_REQUIRE_FALSE(choice_named<OptimiserKind>("Adam").has_value());
}

TEST_CASE("every name of a choice is accepted and written again")
{
    for (auto const& key : schema()) {
        for (auto const name : key.access.names) {
            auto const override = fmt::format("{}={}", key.full_name(), name);
            INFO(override);
            auto const settings = parse_settings("", "test", {override});
            CHECK(to_toml(settings).find(fmt::format("\"{}\"", name)) != std::string::npos);
            CHECK(parse_settings(to_toml(settings), "written") == settings);
        }
    }
}
