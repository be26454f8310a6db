#include "catch.hpp"
#include "mees/storage/checkpoint/newest_map.hpp"
#include "mees/storage/checkpoint/writer.hpp"
#include "mees/storage/diff.hpp"
#include "mees/storage/map/changes.hpp"
#include "mees/storage/map/file.hpp"
#include "storage/samples.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include <fstream>
#include <set>

using namespace mees;
namespace fs = std::filesystem;
using test::next_generation;
using test::ScratchFolder;

namespace {

constexpr CheckpointSettings always_changes{.changes_above_megabytes = 0.001};

MapDocument first_of_chain()
{
    return test::sample_document(
        1, {.elites = 30, .generations = 1, .emitters = 0, .layers = {3, 100, 100, 2}});
}

/// Saves it and returns when that is done, as if the run went on.
void save_alone(CheckpointWriter& writer, MapDocument const& document)
{
    auto const generation = document.state.history.back().generation;
    writer.save(document);
    for (int i = 0; i < 3000 && writer.saved() != generation; ++i) {
        ::usleep(10'000);
    }
    REQUIRE(writer.saved() == generation);
}

std::set<std::string> file_names_in(fs::path const& folder)
{
    std::set<std::string> names;
    for (auto const& entry : fs::directory_iterator{folder}) {
        names.insert(entry.path().filename().string());
    }
    return names;
}

void check_newest_of(fs::path const& folder, MapDocument const& document)
{
    ScratchFolder const scratch;
    write_map(scratch / "expected.h5", document);
    write_map(scratch / "found.h5", load_newest_intact(folder)->document);
    CHECK(diff(scratch / "expected.h5", scratch / "found.h5").empty());
}

}  // namespace

TEST_CASE("after the first map only changes are written, until it is waited for", "[threads]")
{
    ScratchFolder const folder;
    auto document = first_of_chain();
    CheckpointWriter writer{folder.path(), always_changes};
    save_alone(writer, document);
    CHECK(file_names_in(folder.path()) == std::set<std::string>{"map.h5"});
    for (int g = 1; g <= 3; ++g) {
        document = next_generation(std::move(document));
        save_alone(writer, document);
        check_newest_of(folder.path(), document);
    }
    std::set<std::string> names{"map.h5", "map.changes-000001.h5", "map.changes-000002.h5",
                                "map.changes-000003.h5"};
    CHECK(file_names_in(folder.path()) == names);
    CHECK(MapReader{folder / "map.h5"}.generation() == Generation{0});
    CHECK_FALSE(writer.wait());
    CHECK(MapReader{folder / "map.h5"}.generation() == Generation{3});
    CHECK(MapReader{folder / "map.prev.h5"}.generation() == Generation{0});
    names.insert("map.prev.h5");
    CHECK(file_names_in(folder.path()) == names);  // they continue map.prev.h5

    document = next_generation(std::move(document));
    writer.save(document);
    CHECK_FALSE(writer.wait());
    CHECK(file_names_in(folder.path())
          == std::set<std::string>{"map.h5", "map.prev.h5", "map.changes-000004.h5"});
    fs::resize_file(folder / "map.h5", 1000);
    check_newest_of(folder.path(), document);
}

TEST_CASE("change files of half the size of the map are merged", "[threads]")
{
    ScratchFolder const folder;
    auto document = first_of_chain();
    CheckpointWriter writer{folder.path(), always_changes};
    save_alone(writer, document);
    auto const size = fs::file_size(folder / "map.h5");
    std::uintmax_t changes = 0;
    int steps = 0;
    while (MapReader{folder / "map.h5"}.generation() == Generation{0}) {
        REQUIRE(++steps < 30);
        CHECK(changes <= size / 2);
        document = next_generation(std::move(document));
        save_alone(writer, document);
        changes += fs::file_size(folder / fmt::format("map.changes-{:06}.h5", steps));
    }
    CHECK(steps > 2);
    CHECK(changes > size / 2);
    CHECK(MapReader{folder / "map.h5"}.generation() == Generation{steps});
    document = next_generation(std::move(document));
    save_alone(writer, document);
    CHECK(MapReader{folder / "map.h5"}.generation() == Generation{steps});
    check_newest_of(folder.path(), document);
}

TEST_CASE("small maps, and all without the setting, have no change files", "[threads]")
{
    for (auto const& settings : {CheckpointSettings{}, {.changes_above_megabytes = 0}}) {
        ScratchFolder const folder;
        auto document = first_of_chain();
        CheckpointWriter writer{folder.path(), settings};
        save_alone(writer, document);
        save_alone(writer, next_generation(document));
        CHECK_FALSE(writer.wait());
        CHECK(file_names_in(folder.path()) == std::set<std::string>{"map.h5", "map.prev.h5"});
    }
}

TEST_CASE("a checkpoint that is to be kept is a map", "[threads]")
{
    ScratchFolder const folder;
    auto document = first_of_chain();
    CheckpointWriter writer{folder.path(), {.keep = 2, .changes_above_megabytes = 0.001}};
    for (int g = 0; g <= 3; ++g) {
        save_alone(writer, document);
        document = next_generation(std::move(document));
    }
    CHECK_FALSE(writer.wait());
    CHECK(MapReader{folder / "checkpoints/gen_000002.h5"}.generation() == Generation{2});
    CHECK(MapReader{folder / "map.h5"}.generation() == Generation{3});
}

TEST_CASE("a later state of the same generation replaces its changes", "[threads]")
{
    ScratchFolder const folder;
    auto document = first_of_chain();
    {
        CheckpointWriter writer{folder.path(), always_changes};
        save_alone(writer, document);
        document = next_generation(std::move(document));
        save_alone(writer, document);
        document.state.episodes += 5;  // between two batches of a generation
        document.state.map.insert(next_generation(document).state.map.elites().begin()->second);
        writer.save(document);
        for (int i = 0; i < 3000; ++i) {
            if (load_newest_intact(folder.path())->document.state.episodes
                == document.state.episodes) {
                break;
            }
            ::usleep(10'000);
        }
        check_newest_of(folder.path(), document);
        document = next_generation(std::move(document));
        save_alone(writer, document);
    }
    check_newest_of(folder.path(), document);
}

TEST_CASE("changes that cannot be written become a map", "[threads]")
{
    ScratchFolder const folder;
    auto document = first_of_chain();
    CheckpointWriter writer{folder.path(), always_changes};
    save_alone(writer, document);
    fs::create_directories(folder / "map.changes-000001.h5" / "occupied");
    document = next_generation(std::move(document));
    save_alone(writer, document);
    CHECK(MapReader{folder / "map.h5"}.generation() == Generation{1});
    CHECK_FALSE(writer.wait());
}

TEST_CASE("a map that cannot be written leaves its changes, and is tried again", "[threads]")
{
    ScratchFolder const folder;
    auto document = first_of_chain();
    CheckpointWriter writer{folder.path(), always_changes};
    save_alone(writer, document);
    fs::remove(folder / "map.h5");
    fs::create_directories(folder / "map.h5" / "occupied");
    document = next_generation(std::move(document));
    writer.save(document);
    auto const failure = writer.wait();
    REQUIRE(failure);
    CHECK_THAT(*failure, Catch::Contains("the changes up to generation 1 were written, but not"));
    CHECK(writer.saved() == Generation{1});
    CHECK(fs::exists(folder / "map.changes-000001.h5"));
    fs::remove_all(folder / "map.h5");
    CHECK_FALSE(writer.wait());
    check_newest_of(folder.path(), document);
    CHECK(MapReader{folder / "map.h5"}.generation() == Generation{1});
}

TEST_CASE("a new process removes incomplete changes once it has written a map", "[threads]")
{
    ScratchFolder const folder;
    auto document = first_of_chain();
    {
        CheckpointWriter writer{folder.path(), always_changes};
        save_alone(writer, document);
        document = next_generation(std::move(document));
        save_alone(writer, document);
    }
    std::ofstream{folder / ".map.changes-000002-host-1-2-3.tmp"} << "incomplete";
    check_newest_of(folder.path(), document);
    CheckpointWriter writer{folder.path(), always_changes};
    writer.save(next_generation(document));
    CHECK_FALSE(writer.wait());
    CHECK(file_names_in(folder.path())
          == std::set<std::string>{"map.h5", "map.prev.h5", "map.changes-000001.h5"});
}

TEST_CASE("maps with chains of controllers are written completely", "[threads]")
{
    ScratchFolder const folder;
    auto document = first_of_chain();
    CheckpointWriter writer{folder.path(), always_changes};
    save_alone(writer, document);
    document = next_generation(std::move(document));
    auto elite = document.state.map.elites().begin()->second;
    auto chain = *elite.controller;
    chain.before = elite.controller;
    elite.controller = std::make_shared<Controller const>(std::move(chain));
    elite.fitness += 1;
    CHECK(allows_changes(document.state));
    document.state.map.insert(std::move(elite));
    CHECK_FALSE(allows_changes(document.state));
    save_alone(writer, document);
    CHECK(file_names_in(folder.path()) == std::set<std::string>{"map.h5", "map.prev.h5"});
    check_newest_of(folder.path(), document);
}
