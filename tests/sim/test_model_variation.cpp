#include "catch.hpp"
#include "mees/core/error.hpp"
#include "mees/sim/model_variation.hpp"
#include "physics.hpp"

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

/// A box of 2 kg.
ModelPtr model_of_weights()
{
    auto const* xml = R"(<mujoco><worldbody><body name="box"><freejoint/>
        <geom type="box" size=".1 .1 .1" mass="2"/></body></worldbody></mujoco>)";
    return test::compile_model_text("box", xml).full;
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

TEST_CASE("ranges of a body's mass are cut to what the model allows")
{
    auto const model = model_of_weights();
    auto const with = [&](Damage const& damage) {
        auto changed = copy_model(*model);
        damage.apply(*changed);
        return ModelPtr{std::move(changed)};
    };
    auto const allowed = [&](char const* text) {
        return ModelVariation::parse(text).allowed_by(with).text();
    };
    // The box weighs 2 kg: 5 % are 0.1 kg.
    CHECK(allowed("mass:box=-3..+1") == "mass:box=-1.9..+1");
    CHECK(allowed("mass:box=-2..+1,mass=0.5..2") == "mass:box=-1.9..+1,mass=0.5..2");
    CHECK(allowed("mass:box=-1.99..+1") == "mass:box=-1.99..+1");
    // After the word before it, it may weigh 1 kg only.
    CHECK(allowed("mass=0.5..2,mass:box=-3..0") == "mass=0.5..2,mass:box=-0.95..0");
    CHECK(allowed("mass:box=-1,mass:box=-1..1") == "mass:box=-1,mass:box=-0.95..1");
    for (auto const& variant :
         ModelVariation::parse("mass=0.5..2,mass:box=-3..0").allowed_by(with).draw(50, 1)) {
        CHECK(with(variant)->body_mass[1] > 0.04);
    }
    CHECK_THAT(message_of<ConfigError>([&] { (void)allowed("mass:box=-3..-1.95"); }),
               ContainsSubstring("weighs 2 kg"));
    CHECK_THAT(message_of<ConfigError>([&] { (void)allowed("mass:cone=-3..+1"); }),
               ContainsSubstring("cone"));
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
