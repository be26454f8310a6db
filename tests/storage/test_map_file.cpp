#include "catch.hpp"
#include "mees/sim/registry.hpp"
#include "mees/storage/diff.hpp"
#include "mees/storage/map/file.hpp"
#include "mees/storage/verify.hpp"
#include "storage/samples.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <limits>

using namespace mees;
using test::sample_document;
using test::ScratchFolder;

TEST_CASE("a map says what its environment in another process states")
{
    ScratchFolder const folder;
    auto document = sample_document(1);
    ProgramStatement const stated{3, 2, 40, 0.1, FitnessRule::last_reward, true, {"a", "b"}};
    document.program = stated;
    write_map(folder / "a.h5", document);
    CHECK(verify(folder / "a.h5").empty());
    MapReader const map{folder / "a.h5"};
    CHECK(map.program() == stated);
    CHECK(map.domain() == nullptr);
    CHECK(read_map(folder / "a.h5").program == stated);
    document.program->reward_terms = {"a", "c"};
    write_map(folder / "b.h5", document);
    CHECK_FALSE(diff(folder / "a.h5", folder / "b.h5").empty());
    document.program->episode_steps = 0;
    write_map(folder / "c.h5", document);
    CHECK_THROWS_AS(MapReader{folder / "c.h5"}.program(), FileError);
    document.program.reset();
    write_map(folder / "d.h5", document);
    CHECK_FALSE(MapReader{folder / "d.h5"}.program());
}

TEST_CASE("a map carries its domain")
{
    ScratchFolder const folder;
    DomainSettings settings;
    settings.name = "point_maze";
    auto carried = *DomainRegistry{}.make(settings)->document();
    carried.assets = {{"meshes/a.obj", {std::byte{1}, std::byte{0}, std::byte{255}}}, {"b", {}}};
    auto document = sample_document(1);
    document.domain = std::make_shared<DomainDocument const>(carried);
    write_map(folder / "a.h5", document);
    CHECK(verify(folder / "a.h5").empty());
    REQUIRE(MapReader{folder / "a.h5"}.domain() != nullptr);
    CHECK(*MapReader{folder / "a.h5"}.domain() == carried);
    write_map(folder / "b.h5", read_map(folder / "a.h5"));
    CHECK(diff(folder / "a.h5", folder / "b.h5").empty());

    auto const problem_of = [&](char const* name, DomainDocument const& changed) {
        document.domain = std::make_shared<DomainDocument const>(changed);
        write_map(folder / name, document);
        auto const problems = verify(folder / name);
        return problems.size() == 1 ? problems.front() : "";
    };
    auto changed = carried;
    changed.description = "version = 9";
    CHECK_THAT(problem_of("c.h5", changed), Catch::Contains("its version is 9"));
    changed = carried;
    changed.model = "<mujoco><include file='x.xml'/></mujoco>";
    CHECK_THAT(problem_of("d.h5", changed), Catch::Contains("it includes a file"));
    CHECK_NOTHROW(read_map(folder / "c.h5"));
    CHECK(MapReader{folder / "c.h5"}.domain() != nullptr);
}

TEST_CASE("a map file is read back bit-identically")
{
    ScratchFolder const folder;
    auto const document = sample_document(1);
    write_map(folder / "a.h5", document);
    auto const read = read_map(folder / "a.h5");

    SECTION("written again it is the same file except for times")
    {
        write_map(folder / "b.h5", read);
        CHECK(diff(folder / "a.h5", folder / "b.h5").empty());
        CHECK(verify(folder / "a.h5").empty());
    }
    SECTION("the parts that a search resumes from are equal")
    {
        auto const& a = document.state;
        auto const& b = read.state;
        CHECK(a.generation == b.generation);
        CHECK(a.evaluated == b.evaluated);
        CHECK(a.active == b.active);
        CHECK(a.nsra.best == b.nsra.best);
        CHECK(a.observations.sum == b.observations.sum);
        CHECK(a.map.insertions() == b.map.insertions());
        CHECK(a.archive.settings().k == b.archive.settings().k);
        CHECK(a.archive.settings().metric == b.archive.settings().metric);
        REQUIRE(a.emitters.size() == b.emitters.size());
        CHECK(a.emitters[0].theta == b.emitters[0].theta);
        CHECK(a.emitters[0].optimiser.second_moment == b.emitters[0].optimiser.second_moment);
        CHECK(b.emitters[1].optimiser.first_moment.size() == 0);
        CHECK(b.emitters[1].bc.empty());
        CHECK(!b.emitters[1].parent_cell);
        for (auto const& [cell, elite] : a.map.elites()) {
            auto const* other = b.map.find(cell);
            REQUIRE(other != nullptr);
            CHECK(elite.controller->parameters == other->controller->parameters);
            CHECK(elite.controller->normaliser == other->controller->normaliser);
            CHECK(elite.bc == other->bc);
            CHECK(elite.inserted == other->inserted);
            CHECK(elite.archive_entry == other->archive_entry);
            CHECK(elite.parent_cell == other->parent_cell);
        }
    }
    SECTION("the run's description is equal")
    {
        CHECK(read.run.config == document.run.config);
        CHECK(read.run.created.size() == std::string{"2020-01-01T00:00:00Z"}.size());
        CHECK(read.bc_names == document.bc_names);
        CHECK(read.network == document.network);
        CHECK(read.qd_offset == document.qd_offset);
        CHECK(read.timing.size() == 8);
        CHECK(read.timing[3].workers == 3);
    }
}

TEST_CASE("unusual maps can be stored")
{
    ScratchFolder const folder;
    auto const path = folder / "map.h5";
    SECTION("no elites and no emitters")
    {
        write_map(path, sample_document(2, {.elites = 0, .generations = 1, .emitters = 0}));
        auto const read = read_map(path);
        CHECK(read.state.map.filled() == 0);
        CHECK(read.state.emitters.empty());
    }
    SECTION("before anything was recorded")
    {
        auto document = sample_document(2, {.elites = 0, .generations = 1});
        document.state.history.clear();
        document.state.generation = Generation{0};
        document.timing.clear();
        write_map(path, document);
        CHECK(read_map(path).state.history.empty());
    }
    SECTION("a configuration of 300 kB")
    {
        auto document = sample_document(3);
        document.run.config = std::string(300'000, '#');
        write_map(path, document);
        CHECK(read_map(path).run.config == document.run.config);
    }
    SECTION("cells around centroids")
    {
        auto document = sample_document(4, {.elites = 0});
        auto const space =
            BehaviourSpace::voronoi({0.1, 0.2, 0.5, 1.5, -0.5, 1.0}, {-1.0, 0.0}, {1.0, 2.0});
        document.state.map = EliteMap{space};
        document.state.history.back().coverage = 0;
        for (auto& record : document.state.history) {
            record.parent_cell.reset();
            record.cell.reset();
        }
        document.state.emitters.clear();
        document.state.active.reset();
        write_map(path, document);
        CHECK(read_map(path).state.map.space() == space);
        CHECK(verify(path).empty());
    }
}

TEST_CASE("a map is inspected without reading its parameters")
{
    ScratchFolder const folder;
    auto const document = sample_document(5);
    write_map(folder / "map.h5", document);
    MapReader const map{folder / "map.h5"};
    CHECK(map.generation() == Generation{7});
    CHECK(map.episodes() == 800);
    auto const elites = map.elites();
    REQUIRE(elites.size() == 6);
    CHECK(elites[2].second.controller == nullptr);
    auto const* original = document.state.map.find(elites[2].first);
    CHECK(elites[2].second.fitness == original->fitness);
    CHECK(map.controller(2)->parameters == original->controller->parameters);
    CHECK_THROWS_AS(map.controller(6), FileError);
}

TEST_CASE("a large map takes hardly more space than its values")
{
    ScratchFolder const folder;
    auto const document = sample_document(
        6, {.elites = 30, .generations = 40, .emitters = 1, .layers = {27, 256, 256, 8}});
    write_map(folder / "map.h5", document);
    auto const size = static_cast<double>(std::filesystem::file_size(folder / "map.h5"));
    CHECK(size <= 1.02 * static_cast<double>(raw_bytes(document)));
}

TEST_CASE("h5py reads a map as documented")
{
    ScratchFolder const folder;
    write_map(folder / "map.h5", sample_document(7));
    char const* const python = std::getenv("MEES_PYTHON");
    auto const command =
        fmt::format("{} {}/storage/check_with_h5py.py {}", python ? python : "python3",
                    MEES_TEST_DIR, (folder / "map.h5").string());
    CHECK(std::system(command.c_str()) == 0);
}

TEST_CASE("a map that could not be read back is not written")
{
    ScratchFolder const folder;
    auto document = sample_document(8);
    SECTION("a parameter")
    {
        document.state.emitters[0].theta[3] = std::numeric_limits<float>::infinity();
    }
    SECTION("a fitness")
    {
        auto const [cell, elite] = *document.state.map.elites().begin();
        auto changed = elite;
        changed.fitness = std::numeric_limits<double>::quiet_NaN();
        document.state.map.restore(cell, changed);
    }
    CHECK_THROWS_WITH(write_map(folder / "map.h5", document), Catch::Contains("not finite"));
    CHECK(!std::filesystem::exists(folder / "map.h5"));
}

TEST_CASE("inconsistent parts are named")
{
    ScratchFolder const folder;
    auto document = sample_document(9);
    auto& state = document.state;
    auto const complaint = [&] {
        write_map(folder / "map.h5", document);
        return message_of<FileError>([&] { static_cast<void>(read_map(folder / "map.h5")); });
    };
    SECTION("an elite that lies in another cell")
    {
        auto elite = state.map.elites().begin()->second;
        elite.bc = {0.99, 1.99};
        state.map.restore(state.map.elites().begin()->first, elite);
        CHECK_THAT(complaint(), Catch::Contains("/map/bc of row 0 is not in its cell"));
    }
    SECTION("an archive entry that does not exist")
    {
        state.emitters[0].archive_entry = 1000;
        CHECK_THAT(complaint(), Catch::Contains("/state/emitter/archive_entry holds 1000"));
    }
    SECTION("a threshold of a cell that does not exist")
    {
        state.thresholds = {{CellId{40}, 1.0}};
        CHECK_THAT(complaint(), Catch::Contains("/state/threshold/cell holds 40"));
    }
    SECTION("a distribution that cannot be sampled")
    {
        auto const parameters = document.network.parameter_count();
        for (auto& emitter : state.emitters) {
            emitter.cma = initial_separable_cma(parameters, 0.1);
        }
        bool const has_sigma = GENERATE(false, true);
        if (has_sigma) {
            state.emitters[1].cma.covariance[0] = 0;
        } else {
            state.emitters[1].cma.sigma = 0;
        }
        CHECK_THAT(complaint(),
                   Catch::Contains(has_sigma ? "/state/emitter_cma/covariance is not positive"
                                             : "/state/emitter_cma/sigma is not positive"));
    }
    SECTION("a fitness for too few entries of the archive")
    {
        state.archive_fitness = {1.0};
        CHECK_THAT(complaint(), Catch::Contains("/state/archive_fitness"));
    }
    SECTION("a state that is not the history's")
    {
        state.generation = Generation{20};
        CHECK_THAT(complaint(), Catch::Contains("does not follow the last row of /history"));
    }
    SECTION("a coverage that is not the map's")
    {
        state.history.back().coverage = 3;
        CHECK_THAT(complaint(), Catch::Contains("/history/coverage"));
    }
    SECTION("moments of other inputs")
    {
        state.observations = ObservationMoments::prior(9);
        CHECK_THAT(complaint(), Catch::Contains("/state/observation_sum is float64 of shape 9"));
    }
}
