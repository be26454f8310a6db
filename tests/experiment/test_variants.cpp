#include "catch.hpp"
#include "mees/core/error.hpp"
#include "mees/experiment/variants.hpp"

using namespace mees;

namespace {

std::vector<std::string> expanded(std::vector<std::string> const& given, std::string const& domain)
{
    std::vector<std::string> texts;
    DomainSettings settings;
    settings.name = domain;
    for (auto const& damage : expand_damages(given, *DomainRegistry{}.make(settings))) {
        texts.push_back(damage.text());
    }
    return texts;
}

}  // namespace

TEST_CASE("each damage of the command line is taken once, the paper's twelve by one word")
{
    CHECK(expanded({"J0", "J2, J3", "lock:hip_1"}, "ant")
          == std::vector<std::string>{"J0", "J2,J3", "lock:hip_1"});
    CHECK(expanded({"J0", "J0"}, "ant") == std::vector<std::string>{"J0"});
    auto const paper = expanded({"J7", "paper"}, "ant_maze");
    REQUIRE(paper.size() == 12);
    CHECK(paper.front() == "J7");
    CHECK(paper[1] == "J0");
    CHECK(paper.back() == "J6,J7");
    CHECK_THROWS_AS(expanded({"paper"}, "deceptive_humanoid"), ConfigError);
    CHECK_THROWS_AS(expanded({"paper"}, "sleep"), ConfigError);
}

TEST_CASE("variants are the robot as configured and one for each damage")
{
    Settings settings;
    settings.domain.damage = {"J7"};
    auto const setup = make_variants(settings, {Damage::parse("J0"), Damage::parse("J0,J1")},
                                     DomainRegistry{}.make(settings.domain));
    REQUIRE(setup.domains.size() == 3);
    auto const model = [&](std::vector<std::string> damage) {
        settings.domain.damage = std::move(damage);
        return DomainRegistry{}.make(settings.domain)->spec().model_sha256;
    };
    CHECK(setup.domains[0]->spec().model_sha256 == model({"J7"}));
    CHECK(setup.domains[1]->spec().model_sha256 == model({"J7", "J0"}));
    CHECK(setup.domains[2]->spec().model_sha256 == model({"J7,J0,J1"}));
}
