#include "catch.hpp"
#include "mees/core/error.hpp"
#include "mees/sim/model_variation.hpp"

#include <algorithm>

using namespace mees;
using Catch::Matchers::ContainsSubstring;

namespace {

void refused(std::string_view text, char const* because)
{
    INFO(text);
    CHECK_THAT(message_of<ConfigError>([&] { (void)ModelVariation::parse(text); }),
               ContainsSubstring(because));
}

}  // namespace

TEST_CASE("variants are drawn from the ranges, and depend on the seed and their number only")
{
    auto const variation = ModelVariation::parse("friction=0.5..1.5, mass:torso=-1..+3 ,J3");
    CHECK(variation.text() == "friction=0.5..1.5,mass:torso=-1..+3,J3");
    auto const variants = variation.draw(400, 7);
    REQUIRE(variants.size() == 400);
    double friction = 0;
    double mass = 0;
    for (auto const& variant : variants) {
        REQUIRE(variant.parts().size() == 3);
        auto const& parts = variant.parts();
        CHECK(parts[0].kind == Damage::Kind::friction);
        CHECK((parts[0].value >= 0.5 && parts[0].value <= 1.5));
        CHECK(parts[1].kind == Damage::Kind::mass);
        CHECK(parts[1].name == "torso");
        CHECK((parts[1].value >= -1 && parts[1].value <= 3));
        CHECK(parts[2].text == "J3");
        CHECK(Damage::parse(variant.text()) == variant);
        friction += parts[0].value / 400;
        mass += parts[1].value / 400;
    }
    // Uniform on a range of width w: the mean of 400 has a standard error of w / sqrt(12 * 400),
    // 0.014 and 0.058. Four of them are allowed.
    CHECK(friction == Approx(1).margin(0.06));
    CHECK(mass == Approx(1).margin(0.24));

    auto const fewer = variation.draw(3, 7);
    CHECK(std::equal(fewer.begin(), fewer.end(), variants.begin()));
    CHECK(variation.draw(3, 8) != fewer);
    // The words draw independently.
    CHECK(std::ranges::any_of(variants, [](Damage const& variant) {
        return variant.parts()[0].value > 1.3 && variant.parts()[1].value < -0.5;
    }));
}

TEST_CASE("the ends of all ranges are what a model must allow")
{
    std::vector<std::string> texts;
    for (auto const& end : ModelVariation::parse("mass:torso=-1..2,strength=0.5..1").ends()) {
        texts.push_back(end.text());
    }
    CHECK(texts
          == std::vector<std::string>{"mass:torso=-1", "mass:torso=+2", "strength=0.5",
                                      "strength=1"});
}

TEST_CASE("an invalid variation is refused with the reason")
{
    refused("friction=0.5", "no word has a range");
    refused("friction=1.5..0.5", "ends below its start");
    refused("friction=0..1", "above 0");
    refused("friction=-1..1", "above 0");
    refused("friction=a..1", "not a number");
    refused("friction=1..", "not a number");
    refused("friction=1...2", "ends below its start");
    refused("mass:torso=0.5..1", "sign");
    refused("weak:J0=0.5..2", "share");
    refused("lock:hip=0..1", "neither a motor");
    refused("melt=0..1", "neither a motor");
    refused("", "a word is missing");
    refused("friction=0.5..1,", "a word is missing");
}
