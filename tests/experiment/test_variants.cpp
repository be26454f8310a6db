#include "catch.hpp"
#include "mees/core/error.hpp"
#include "mees/experiment/variants.hpp"

using namespace mees;
using Words = std::vector<std::string>;

TEST_CASE("words of the command line become damages")
{
    CHECK(expand_damages({"J0", "J2, J3", "lock:hip_1"}, "ant")
          == Words{"J0", "J2,J3", "lock:hip_1"});
    CHECK(expand_damages({"J0", "J0"}, "ant") == Words{"J0"});
    auto const paper = expand_damages({"J7", "paper"}, "ant_maze");
    REQUIRE(paper.size() == 12);
    CHECK(paper.front() == "J7");
    CHECK(paper[1] == "J0");
    CHECK(paper.back() == "J6,J7");
    CHECK_THROWS_AS(expand_damages({"paper"}, "deceptive_humanoid"), ConfigError);
}

TEST_CASE("variants are the robot as configured and one for each damage")
{
    Settings settings;
    settings.domain.damage = {"J7"};
    auto const setup = make_variants(settings, {"J0", "J0,J1"});
    REQUIRE(setup.domains.size() == 3);
    auto const model = [&](std::vector<std::string> damage) {
        settings.domain.damage = std::move(damage);
        return make_domain(settings.domain)->spec().model_sha256;
    };
    CHECK(setup.domains[0]->spec().model_sha256 == model({"J7"}));
    CHECK(setup.domains[1]->spec().model_sha256 == model({"J7", "J0"}));
    CHECK(setup.domains[2]->spec().model_sha256 == model({"J7,J0,J1"}));
}
