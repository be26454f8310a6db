#include "mees/sim/bare_physics.hpp"
#include "mees/sim/shortcuts.hpp"
#include "physics.hpp"

#include <algorithm>

using namespace mees;
using namespace mees::test;

namespace {

/// From the domain's own start, hurled up and sideways, with controls at random: it lands, falls,
/// rolls and, in a maze, meets walls.
RecordedEpisode wild_episode(World& world, std::int64_t index)
{
    auto stream = stream_of(index);
    world.task->reset(stream);
    RecordedEpisode episode{.qpos = {world.physics.qpos().begin(), world.physics.qpos().end()},
                            .qvel = {world.physics.qvel().begin(), world.physics.qvel().end()},
                            .controls = {},
                            .steps = 150};
    for (auto& velocity : episode.qvel) {
        velocity += stream.uniform(-3, 3);
    }
    for (std::int64_t i = 0; i < episode.steps * world.spec().action_size; ++i) {
        episode.controls.push_back(stream.uniform(-1, 1));
    }
    return episode;
}

}  // namespace

TEST_CASE("phases of the engine that are left out change no bit", "[shortcuts]")
{
    auto const settings = GENERATE(settings_for("ant"), settings_for("ant_maze"),
                                   settings_for("deceptive_humanoid"), settings_for("point_maze"),
                                   walker(), own_model("half_cheetah", {"hind_foot", "fore_foot"}));
    INFO(settings.name << ' ' << settings.mjcf.model);
    World world{settings};
    BarePhysics all{*world.domain, Phases::all};
    BarePhysics needed{*world.domain, Phases::needed};
    for (std::int64_t index = 0; index < 12; ++index) {
        auto const episode = wild_episode(world, index);
        CHECK(std::ranges::equal(all.repeat(episode), needed.repeat(episode)));
    }
}

#if mjVERSION_HEADER >= 3014000

TEST_CASE("phases that a model needs are not left out", "[shortcuts]")
{
    World const humanoid{settings_for("deceptive_humanoid")};
    CHECK(humanoid.model().opt.disableflags == mjDSBL_ISLAND);
    auto const two_trees = compile_model_text("two trees", R"(
        <mujoco>
          <worldbody>
            <body><freejoint/><geom size="0.1"/></body>
            <body pos="1 0 0"><freejoint/><geom size="0.1"/></body>
          </worldbody>
        </mujoco>)");
    CHECK(needless_phases(*two_trees) == 0);
}

#endif
