#include "mees/core/error.hpp"
#include "mees/sim/registry.hpp"
#include "physics.hpp"

#include <algorithm>

using namespace mees;
using namespace mees::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a domain is added to the registry by name", "[registry]")
{
    DomainRegistry registry;
    registry.add("custom", [](DomainSettings const&) { return make_domain(walker()); });
    CHECK(std::ranges::count(names_of(registry.known()), "custom") == 1);
    auto const domain = registry.make(settings_for("custom"));
    CHECK(domain->spec().name == "mjcf");
    auto const damaged = registry.make(settings_for("custom", {"J0"}));
    CHECK(damaged->spec().model_sha256 != domain->spec().model_sha256);
    CHECK_THROWS(registry.add("custom", [](DomainSettings const&) { return DomainPtr{}; }));
}

TEST_CASE("the message for an unknown domain lists the known ones", "[registry]")
{
    CHECK_THAT(message_of<ConfigError>([] { (void)make_domain(settings_for("spider")); }),
               ContainsSubstring("\"spider\" (it must be one of ant, ant_maze,"));
}
