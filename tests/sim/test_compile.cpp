#include "mees/core/error.hpp"
#include "mees/sim/detail/compile.hpp"
#include "physics.hpp"

using namespace mees;
using namespace mees::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a domain compiles its model once, and once reduced", "[compile]")
{
    constexpr std::int64_t once = mjVERSION_HEADER >= 3014000 ? 2 : 1;
    for (auto const* name : {"ant", "ant_maze", "deceptive_humanoid", "point_maze", "mjcf"}) {
        INFO(name);
        auto const before = compilation_count();
        auto const domain = make_domain(example_of(name));
        CHECK(compilation_count() == before + once);
        auto const task = domain->make_task();
        auto const damaged = domain->with_damage(Damage::parse("J0,friction=0.5"));
        auto const damaged_task = damaged->make_task();
        CHECK(damaged->full_model() != domain->full_model());
        CHECK(compilation_count() == before + once);
    }
}

TEST_CASE("a model that does not compile is refused with the engine's reason", "[compile]")
{
    auto const message_for = [](std::string_view text) {
        return message_of<FileError>([&] { (void)compile_model_text("bad", text); });
    };
    CHECK_THAT(message_for("<mujoco><worldbody><limb/></worldbody></mujoco>"),
               ContainsSubstring("limb"));
    auto const message = message_for(
        R"(<mujoco><worldbody><body name="dust"><joint/><geom size="1e-9"/></body></worldbody>
           </mujoco>)");
    CHECK(message.starts_with("cannot use the model bad ("));
    CHECK_THAT(message, ContainsSubstring("mass and inertia"));
    CHECK_THAT(message, ContainsSubstring("dust"));
    CHECK(message.find('\n') == std::string::npos);
}

TEST_CASE("a missing model file is refused with its name", "[compile]")
{
    CHECK_THAT(message_of<FileError>([] { (void)compile_model_file("no-such-model.xml"); }),
               ContainsSubstring("no-such-model.xml"));
}
