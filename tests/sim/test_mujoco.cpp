#include "mees/core/error.hpp"
#include "mees/sim/detail/compile.hpp"
#include "physics.hpp"

using namespace mees;
using namespace mees::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("objects are found by name; the message for an unknown one lists the names", "[mujoco]")
{
    auto const model = compile_shipped_model("point_maze").full;
    CHECK(find_id(*model, mjOBJ_BODY, "puck", "body") == 1);
    CHECK(names_of(*model, mjOBJ_BODY) == std::vector<std::string>{"world", "puck"});
    auto const message_for = [&](mjtObj type, char const* what) {
        return message_of<ConfigError>([&] { (void)find_id(*model, type, "tail", what); });
    };
    CHECK_THAT(message_for(mjOBJ_BODY, "body"),
               ContainsSubstring("no body \"tail\" (its names are world, puck)"));
    CHECK_THAT(message_for(mjOBJ_SITE, "site"), ContainsSubstring("no site \"tail\""));
    CHECK(find_camera(*model, "tail") == std::nullopt);
}

TEST_CASE("a copy of a model has the same hash", "[mujoco]")
{
    auto const model = compile_shipped_model("ant").full;
    auto const copy = copy_model(*model);
    CHECK(model_sha256(*copy) == model_sha256(*model));
    copy->opt.timestep *= 2;
    CHECK(model_sha256(*copy) != model_sha256(*model));
}
