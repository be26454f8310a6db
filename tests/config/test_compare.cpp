#include "catch.hpp"

#include "mees/config/config.hpp"

using namespace mees;

namespace {

/// Two of each, as a program may know them.
KnownNames const program_names{
    {{"ant", {{KeyGroup::contact_forces, KeyGroup::terminate}}},
     {"ant_maze", std::vector<KeyGroup>{}},
     {"mjcf", {{KeyGroup::behaviour, KeyGroup::mjcf}}},
     {"my_robot"}},
    {{"me-es", {{KeyGroup::modes, KeyGroup::gradient, KeyGroup::training_episodes}}},
     {"me-ga", {{KeyGroup::children}}},
     {"ns-es", {{KeyGroup::parents}}},
     {"nsr-es", {{KeyGroup::parents}}},
     {"mine"}}};

std::vector<std::string> foreign(std::string const& toml,
                                 std::vector<std::string> const& overrides = {})
{
    return foreign_keys(parse_configuration(toml, "test", overrides, program_names), program_names);
}

}  // namespace

TEST_CASE("keys of another algorithm, domain or map are accepted and named")
{
    auto const names = foreign(
        "[algorithm]\nname = \"me-es\"\nchildren = 10\nmode = \"explore\"\nn_eval = 5\n"
        "[domain]\nname = \"ant_maze\"\ncontact_forces = true\n[map]\ncvt_cells = 10",
        {"algorithm.parents=3"});
    CHECK(names
          == std::vector<std::string>{
              "domain.contact_forces (only with domain.name = ant)",
              "map.cvt_cells (only with map.type = cvt)",
              "algorithm.children (only with algorithm.name = me-ga)",
              "algorithm.parents (only with algorithm.name = ns-es, nsr-es)",
          });
    CHECK(foreign("").empty());
    CHECK(foreign("[es]\npopulation = 4\nsigma = 1", {"algorithm.name=me-ga"}).size() == 1);
    auto const own = "[domain]\nname = \"my_robot\"\nframe_skip = 2\nbc_geoms = [\"foot\"]";
    CHECK(foreign(own).empty());
    CHECK(foreign("[es]\npopulation = 4", {"algorithm.name=mine", "algorithm.children=2"}).empty());
}

TEST_CASE("keys of training episodes and of a start map are named where there are none")
{
    using Names = std::vector<std::string>;
    CHECK(foreign("", {"run.start_cells=best"})
          == Names{"run.start_cells (only with run.start_from)"});
    CHECK(foreign("", {"run.start_cells=best", "run.start_from=a.h5"}).empty());
    // Also in a domain whose own keys are not known.
    Names const training{"domain.name=my_robot", "domain.training_without=alive",
                         "policy.action_noise=0.1"};
    CHECK(foreign("", training).empty());
    CHECK(foreign("[algorithm]\nname = \"me-ga\"", training)
          == Names{"domain.training_without (only with algorithm.name = me-es)",
                   "policy.action_noise (only with algorithm.name = me-es)"});
}

TEST_CASE("keys of another choice within the domain are named, with what is missing first")
{
    std::string const feet = "[domain]\nmodel = \"m.xml\"\nbc_geoms = [\"foot\"]\n";
    auto const named = [&](std::string const& more) { return foreign(feet + more); };
    using Names = std::vector<std::string>;
    CHECK(named("name = \"mjcf\"\nbc = \"contact_share\"").empty());
    CHECK(named("name = \"mjcf\"\nbc = \"contact_share\"\nbc_body = \"torso\"").empty());
    CHECK(named("name = \"mjcf\"\nbc_body = \"torso\"\nfloor_geom = \"ground\"").empty());
    CHECK(named("bc = \"contact_share\"")
          == Names{"domain.model (only with domain.name = mjcf)",
                   "domain.bc (only with domain.name = mjcf)",
                   "domain.bc_geoms (only with domain.name = mjcf)"});
}

TEST_CASE("a key's owner names a choice that exists")
{
    for (auto const& key : schema()) {
        if (!key.owner) {
            continue;
        }
        INFO(key.full_name());
        for (auto const& value : key.owner->values) {
            auto const choice = std::string{key.owner->selector} + "=" + std::string{value};
            auto const model = "domain.model=x.xml";
            CHECK_NOTHROW(parse_settings("", "test", {choice, model}));
        }
    }
}

TEST_CASE(
    "only run length, QD offset, memory limit, checkpoints, patience and log may differ on resume")
{
    Settings const stored;
    for (auto const& text : {"run.generations=7", "checkpoint.every_seconds=1", "checkpoint.keep=3",
                             "checkpoint.every_generations=9", "cluster.silence_seconds=0",
                             "log.level=debug", "map.qd_offset=-11", "map.memory_limit=5"}) {
        CHECK(differences_that_forbid_resume(stored, parse_settings("", "x", {text})).empty());
    }
    auto const now = parse_settings("", "x", {"es.sigma=0.03", "run.seed=2", "log.level=off"});
    CHECK(differences_that_forbid_resume(stored, now)
          == std::vector<std::string>{
              "run.seed is 1 in the checkpoint and 2 in the configuration",
              "es.sigma is 0.02 in the checkpoint and 0.03 in the configuration"});
    auto const here = parse_settings("", "x", {"domain.model=/a/robot.xml"});
    auto const moved = parse_settings("", "x", {"domain.model=/b/robot.xml"});
    auto const other = parse_settings("", "x", {"domain.model=/a/walker.xml"});
    CHECK(differences_that_forbid_resume(here, moved).empty());
    CHECK(differences_that_forbid_resume(here, other).size() == 1);
}

TEST_CASE("a command may name the same files in other folders on resume, nothing else")
{
    auto const with = [](std::string const& command, std::vector<std::string> more = {}) {
        more.push_back("domain.command=" + command);
        return parse_settings("", "x", more);
    };
    auto const stored = with("python3,/a/env.py,--speed,2");
    auto const differences = [&](Settings const& now) {
        return differences_that_forbid_resume(stored, now);
    };
    CHECK(differences(with("python3,/b/c/env.py,--speed,2")).empty());
    CHECK(differences(with("python3,/a/env.py,--speed,2", {"domain.batch=8", "domain.restarts=3",
                                                           "domain.step_timeout_seconds=5"}))
              .empty());
    for (auto const* other : {"python3,/a/env.py,--speed,3", "python3,/a/env.py,--speed",
                              "python3,/a/other.py,--speed,2", "python3,env.py,--speed,2",
                              "/usr/bin/python3,/a/env.py,--speed,2"}) {
        INFO(other);
        auto const found = differences(with(other));
        REQUIRE(found.size() == 1);
        CHECK(found.front().starts_with("domain.command is [\"python3\", \"/a/env.py\""));
    }
}
