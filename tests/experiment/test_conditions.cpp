#include "catch.hpp"
#include "mees/config/config.hpp"
#include "mees/core/error.hpp"
#include "mees/experiment/conditions.hpp"

using namespace mees;
using Catch::Matchers::ContainsSubstring;
using Texts = std::vector<std::string>;

namespace {

Settings ant()
{
    return parse_settings("[domain]\nname = \"ant\"\nepisode_steps = 250\nintegrator = \"euler\"\n",
                          "test", {}, {});
}

std::string refusal(Settings const& run, Texts const& overrides)
{
    return message_of<ConfigError>([&] {
        DomainRegistry const domains;
        auto const conditions = other_conditions(run, overrides, domains);
        static_cast<void>(make_domain(conditions, domains.make(run.domain), domains));
    });
}

}  // namespace

TEST_CASE("conditions are the run's settings with other keys of [domain]")
{
    DomainRegistry const domains;
    auto const run = ant();
    auto const conditions = other_conditions(run,
                                             {"domain.integrator=rk4", "domain.episode_steps=1000",
                                              "domain.terminate=true", "domain.damage=J0,J1"},
                                             domains);
    CHECK(conditions.changes
          == Texts{"domain.episode_steps = 1000", "domain.damage = [\"J0\", \"J1\"]",
                   "domain.integrator = \"rk4\""});
    CHECK(make_domain(conditions, domains.make(run.domain), domains)->spec().episode_steps == 1000);
    auto expected = run;
    expected.domain.episode_steps = 1000;
    expected.domain.integrator = Integrator::rk4;
    expected.domain.damage = {"J0", "J1"};
    CHECK(to_toml(conditions.settings) == to_toml(expected));
}

TEST_CASE("without changes the conditions and the domain are the run's")
{
    DomainRegistry const domains;
    auto const run = ant();
    for (auto const& overrides : {Texts{}, Texts{"domain.episode_steps=250"}}) {
        auto const conditions = other_conditions(run, overrides, domains);
        CHECK(conditions.changes.empty());
        CHECK(to_toml(conditions.settings) == to_toml(run));
        auto const domain = domains.make(run.domain);
        CHECK(make_domain(conditions, domain, domains) == domain);
    }
}

TEST_CASE("keys that are no conditions of the run's episodes are refused with the reason")
{
    CHECK_THAT(refusal(ant(), {"es.sigma=0.1"}), ContainsSubstring("only keys of [domain]"));
    CHECK_THAT(refusal(ant(), {"episode_steps=10"}), ContainsSubstring("only keys of [domain]"));
    CHECK_THAT(refusal(ant(), {"domain.name=ant_maze"}), ContainsSubstring("trained in"));
    CHECK_THAT(refusal(ant(), {"domain.training_without=alive"}),
               ContainsSubstring("no effect on evaluation episodes"));
    CHECK_THAT(refusal(ant(), {"domain.episode_steps=1000", "domain.frame_skip=2"}),
               ContainsSubstring("invalid --set domain.frame_skip")
                   && ContainsSubstring("only with domain.name = mjcf"));
    CHECK_THAT(refusal(ant(), {"domain.integrater=rk4"}),
               ContainsSubstring("Did you mean integrator?"));
    CHECK_THAT(refusal(ant(), {"domain.episode_steps=-1"}), ContainsSubstring("episode_steps"));
    CHECK_THAT(refusal(ant(), {"domain.episode_steps"}), ContainsSubstring("section.key=value"));
}

TEST_CASE("conditions that change the observation or the BC are refused")
{
    CHECK_THAT(refusal(ant(), {"domain.contact_forces=true"}),
               ContainsSubstring("27 inputs and 8 outputs, these conditions require 111 and 8"));
    auto const cheetah = read_settings(MEES_SOURCE_DIR "/configs/half_cheetah_small.toml");
    auto const message = refusal(cheetah, {"domain.bc=mean_velocity"});
    CHECK_THAT(message, ContainsSubstring("the BC of the map is") && ContainsSubstring("velocity"));
}

TEST_CASE("later changes replace earlier ones of the same key")
{
    CHECK(merged_changes({"domain.integrator = \"rk4\"", "domain.episode_steps = 500"},
                         {"domain.episode_steps = 1000"})
          == Texts{"domain.integrator = \"rk4\"", "domain.episode_steps = 1000"});
}
