#include "mees/core/error.hpp"
#include "mees/sim/detail/model_text.hpp"
#include "physics.hpp"
#include "scratch_folder.hpp"

#include <fstream>

using namespace mees;
using namespace mees::test;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Observations, rewards and BC of an episode.
std::vector<double> episode(Domain const& domain)
{
    auto const task = domain.make_task();
    auto const& spec = domain.spec();
    auto stream = stream_of(3);
    task->reset(stream);
    std::vector<double> numbers;
    std::vector<double> observation(spec.observation_size);
    std::vector<double> const action(spec.action_size, 0.2);
    for (int step = 0; step < 10; ++step) {
        task->step(action);
        task->observe(observation);
        numbers.insert(numbers.end(), observation.begin(), observation.end());
        numbers.push_back(task->reward());
    }
    std::vector<double> bc(spec.bc_names.size());
    task->behaviour(bc);
    numbers.insert(numbers.end(), bc.begin(), bc.end());
    return numbers;
}

void write(std::filesystem::path const& path, std::string const& text)
{
    std::filesystem::create_directories(path.parent_path());
    std::ofstream{path} << text;
}

constexpr auto const* tetrahedron =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

/// A model of three files, one of them a mesh in a folder of its own.
std::filesystem::path write_model(ScratchFolder const& folder)
{
    write(folder / "robot.xml", R"(<?xml version="1.0"?>
<!-- <mesh file="not-there.obj"/> -->
<mujoco model="robot"><include file="parts/assets.xml"/>
  <worldbody><geom name="floor" type="plane" size="5 5 1"/>
    <body name="block" pos="0 0 1"><freejoint/><geom type="mesh" mesh="block"/>
      <body name="arm"><joint name="j" type="hinge"/><geom size="0.1"/></body></body></worldbody>
  <include file='parts/motors.xml'></include>
</mujoco>)");
    write(folder / "parts/assets.xml", R"(<mujocoinclude>
  <compiler meshdir="meshes"/><asset><mesh name="block" file="block.obj"/></asset>
</mujocoinclude>)");
    write(folder / "parts/motors.xml",
          R"(<some_root><actuator><motor joint="j"/></actuator></some_root>)");
    write(folder / "meshes/block.obj", tetrahedron);
    return folder / "robot.xml";
}

}  // namespace

TEST_CASE("a domain and what a map carries of it run the same episodes", "[document]")
{
    for (auto const* name : {"ant", "ant_maze", "deceptive_humanoid", "point_maze", "mjcf"}) {
        INFO(name);
        auto settings = example_of(name);
        settings.damage = {"J0,friction=0.7"};
        settings.episode_steps = 77;
        settings.integrator = Integrator::euler;
        settings.contact_forces = true;
        auto const domain = make_domain(settings);
        auto const document = domain->document();
        REQUIRE(document != nullptr);
        auto const restored = restore_domain(unpack(pack(*document)), "test");
        CHECK(restored->spec().model_sha256 == domain->spec().model_sha256);
        CHECK(restored->spec().episode_steps == 77);
        CHECK(restored->spec().reward_terms == domain->spec().reward_terms);
        CHECK(episode(*restored) == episode(*domain));
        CHECK(*restored->document() == *document);
        auto const intact = restored->with_damage({});
        CHECK(episode(*intact) != episode(*domain));
        settings.damage.clear();
        CHECK(episode(*intact) == episode(*make_domain(settings)));
    }
    CHECK(make_domain(settings_for("sleep"))->document() == nullptr);
}

TEST_CASE("a registry that carries a model needs no file", "[document]")
{
    auto settings = walker();
    auto const domain = make_domain(settings);
    settings.mjcf.model = "/no/such/file.xml";
    auto const own = DomainRegistry{}.carrying(domain->document(), settings);
    CHECK(episode(*own.make(settings)) == episode(*domain));
    settings.mjcf.reset_noise = 0;
    CHECK(episode(*own.make(settings)) != episode(*domain));
    CHECK_THAT(
        message_of<FileError>([&] { (void)DomainRegistry{}.without_files().make(settings); }),
        ContainsSubstring("--model FILE"));
    CHECK(DomainRegistry{}.without_files().make(settings_for("ant"))->spec().name == "ant");
}

TEST_CASE("a model of several files is carried complete", "[document]")
{
    ScratchFolder const folder;
    auto const path = write_model(folder);
    auto const model = read_model_text(path);
    REQUIRE(model.assets.size() == 1);
    CHECK(model.assets[0].file == "meshes/block.obj");
    CHECK(model.text.find("include") == std::string::npos);
    CHECK(model.text.find("not-there") == std::string::npos);
    CHECK_NOTHROW(require_self_contained(model));
    CHECK(model_sha256(*compile_model(model).full) == model_sha256(*compile_model_file(path).full));

    auto settings = settings_for("mjcf");
    settings.mjcf.model = path.string();
    settings.mjcf.reward = {{.kind = RewardKind::alive}};
    auto const document = make_domain(settings)->document();
    REQUIRE(document != nullptr);
    std::filesystem::remove_all(folder / "meshes");
    CHECK(restore_domain(*document, "test")->spec().action_size == 1);
    auto without = *document;
    without.assets.clear();
    CHECK_THAT(message_of<FileError>([&] { check_document(without, "x.h5"); }),
               ContainsSubstring("refers to the file meshes/block.obj"));
    CHECK_THROWS_AS(make_domain(settings), FileError);
}

TEST_CASE("an include that cannot be resolved is an error", "[document]")
{
    ScratchFolder const folder;
    write(folder / "loop.xml", R"(<mujoco><include file="loop.xml"/></mujoco>)");
    CHECK_THAT(message_of<FileError>([&] { (void)read_model_text(folder / "loop.xml"); }),
               ContainsSubstring("loop"));
    write(folder / "gone.xml", R"(<mujoco><include file="nowhere.xml"/></mujoco>)");
    CHECK_THAT(message_of<FileError>([&] { (void)read_model_text(folder / "gone.xml"); }),
               ContainsSubstring("nowhere.xml"));
}

TEST_CASE("a model from someone else that would read files is refused", "[document]")
{
    auto const ant = make_domain(settings_for("ant"))->document();
    for (auto const* element :
         {R"(<include file="/etc/passwd"/>)",
          R"(<asset><mesh name="m" file='/etc/passwd'/></asset>)",
          R"(<asset><texture name="t" type="2d" file = "a.png"/></asset>)",
          R"(<asset><texture name="t" type="cube" fileright="a.png"/></asset>)",
          R"(<asset><mesh name="m" file="&#47;etc/passwd"/></asset>)",
          R"(<![CDATA[ <include file="/etc/passwd"/> ]]>)", R"(<!DOCTYPE x>)",
          R"(<geom name="x)"}) {
        INFO(element);
        auto hostile = *ant;
        hostile.model.insert(hostile.model.find("<worldbody>"), element);
        CHECK_THROWS_AS(restore_domain(hostile, "x.h5"), FileError);
    }
    auto misfit = *ant;
    auto const at = misfit.description.find("shank_1");
    misfit.description.replace(at, 7, "tentac1");
    CHECK_THAT(message_of<FileError>([&] { (void)restore_domain(misfit, "x.h5"); }),
               ContainsSubstring("has no geom \"tentac1\""));
}
