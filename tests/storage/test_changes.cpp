#include "catch.hpp"
#include "mees/storage/checkpoint/detail/change_files.hpp"
#include "mees/storage/checkpoint/newest_map.hpp"
#include "mees/storage/checkpoint/writer.hpp"
#include "mees/storage/diff.hpp"
#include "mees/storage/map/changes.hpp"
#include "mees/storage/map/file.hpp"
#include "mees/storage/verify.hpp"
#include "storage/samples.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include <fstream>

using namespace mees;
namespace fs = std::filesystem;
using test::next_generation;
using test::ScratchFolder;

namespace {

/// 30 elites of 42 kB each: a change file of one of them has a few percent of the map's bytes.
MapDocument large_document()
{
    return test::sample_document(
        1, {.elites = 30, .generations = 1, .emitters = 0, .layers = {3, 100, 100, 2}});
}

MapDocument evolved_to(std::int64_t generation)
{
    auto document = large_document();
    for (std::int64_t g = 0; g < generation; ++g) {
        document = next_generation(std::move(document));
    }
    return document;
}

ChangeOrigin origin_for(fs::path const& path, MapDocument const& document)
{
    return {state_id(hdf5::Reader{path}), document.state.history.back().generation,
            document.state.map.insertions()};
}

/// map.h5 of generation 1 and the changes of 2, 3, ...
void write_map_and_changes(fs::path const& folder, std::int64_t last)
{
    auto document = evolved_to(1);
    write_map(folder / "map.h5", document);
    auto origin = origin_for(folder / "map.h5", document);
    for (std::int64_t g = 2; g <= last; ++g) {
        document = next_generation(std::move(document));
        auto const path = folder / fmt::format("map.changes-{:06}.h5", g);
        write_changes(path, document, origin);
        origin = origin_for(path, document);
    }
}

void check_state_of(MapDocument const& found, std::int64_t generation)
{
    ScratchFolder const folder;
    write_map(folder / "found.h5", found);
    write_map(folder / "expected.h5", evolved_to(generation));
    CHECK(diff(folder / "found.h5", folder / "expected.h5").empty());
}

void halve(fs::path const& path)
{
    fs::resize_file(path, fs::file_size(path) / 2);
}

void alter_byte(fs::path const& path, double where)
{
    std::fstream file{path, std::ios::in | std::ios::out | std::ios::binary};
    auto const position =
        static_cast<std::streamoff>(where * static_cast<double>(fs::file_size(path)));
    file.seekg(position);
    auto const byte = static_cast<char>(file.get() ^ 0x10);
    file.seekp(position);
    file.put(byte);
}

}  // namespace

TEST_CASE("a map and the changes that continue it are the complete state")
{
    ScratchFolder const folder;
    write_map_and_changes(folder.path(), 4);
    auto document = read_map(folder / "map.h5");
    for (std::int64_t g = 2; g <= 4; ++g) {
        auto const path = folder / fmt::format("map.changes-{:06}.h5", g);
        document = read_changes(path, document);
        CHECK(verify(path).empty());
        hdf5::Reader const file{path};
        CHECK(file.text("/", "filetype") == "mees-map-changes");
        CHECK(file.shape("/map/parameters").front() == 1);
        CHECK(file.shape("/map/fitness").front() == document.state.map.filled());
        CHECK(file.has("/state/elite_optimiser/first_moment") == (g % 2 == 1));
        CHECK(fs::file_size(path) < fs::file_size(folder / "map.h5") / 5);
    }
    check_state_of(document, 4);
}

TEST_CASE("the identity of a state depends on all of it but times")
{
    ScratchFolder const folder;
    auto document = evolved_to(2);
    auto const id_of = [&](char const* name) {
        write_map(folder / name, document);
        return state_id(hdf5::Reader{folder / name});
    };
    auto const id = id_of("a.h5");
    CHECK(id.size() == 64);
    document.run.wall_seconds += 1;
    document.run.restarts += 1;
    document.timing.back().seconds += 1;
    CHECK(id_of("b.h5") == id);
    document.state.nsra.weight += 0.01;
    CHECK(id_of("c.h5") != id);
    document.state.nsra.weight = evolved_to(2).state.nsra.weight;
    CHECK(id_of("d.h5") == id);
    document.state.map.set_novelty(document.state.map.elites().begin()->first, 77);
    CHECK(id_of("e.h5") != id);
}

TEST_CASE("a map and a change file of the same state have the same identity")
{
    ScratchFolder const folder;
    write_map_and_changes(folder.path(), 4);
    write_map(folder / "complete.h5", evolved_to(4));
    CHECK(state_id(hdf5::Reader{folder / "complete.h5"})
          == state_id(hdf5::Reader{folder / "map.changes-000004.h5"}));
}

TEST_CASE("changes continue the map that was read, though another one is in its place now")
{
    ScratchFolder const folder;
    write_map_and_changes(folder.path(), 4);
    ChangeFiles changes{folder.path()};
    MapReader const map{folder / "map.h5"};
    auto document = read_map(map);
    fs::rename(folder / "map.h5", folder / "map.prev.h5");
    write_map(folder / "map.h5", evolved_to(4));
    CHECK(changes.apply(map.file(), document).size() == 3);
    check_state_of(document, 4);
}

TEST_CASE("changes are checked without controllers in memory")
{
    ScratchFolder const folder;
    write_map_and_changes(folder.path(), 4);
    auto const before = read_map(folder / "map.h5", Controllers::dropped);
    auto const after = read_changes(folder / "map.changes-000002.h5", before, Controllers::dropped);
    for (auto const* document : {&before, &after}) {
        for (auto const& [cell, elite] : document->state.map.elites()) {
            CHECK((elite.controller == nullptr && elite.optimiser == nullptr));
        }
    }
    CHECK_THROWS_WITH(read_changes(folder / "map.changes-000003.h5", before, Controllers::dropped),
                      Catch::Contains("is neither in this file nor in the one before it"));

    auto const found = [&] { return check_changes_of(folder / "map.h5"); };
    CHECK((found().files == 3 && found().generation == Generation{4} && found().problems.empty()));
    halve(folder / "map.changes-000003.h5");
    CHECK((found().files == 1 && found().generation == Generation{2}));
    REQUIRE(found().problems.size() == 2);
    CHECK_THAT(found().problems[0], Catch::Contains("map.changes-000003.h5"));
    CHECK_THAT(found().problems[1], Catch::Contains("map.changes-000004.h5 is not used"));
    fs::remove(folder / "map.h5");
    write_map(folder / "map.h5", evolved_to(5));
    CHECK((found().files == 0 && found().generation == Generation{5} && found().problems.empty()));
}

TEST_CASE("the change files that continue map.prev.h5 are checked as well")
{
    // The map of generation 3 took the place of that of generation 1.
    ScratchFolder const folder;
    write_map_and_changes(folder.path(), 5);
    fs::rename(folder / "map.h5", folder / "map.prev.h5");
    write_map(folder / "map.h5", evolved_to(3));
    auto const current = [&] { return check_changes_of(folder / "map.h5"); };
    auto const previous = [&] { return check_changes_of(folder / "map.prev.h5"); };
    CHECK((current().files == 2 && current().generation == Generation{5}));
    CHECK((previous().files == 4 && previous().generation == Generation{5}));
    CHECK((current().problems.empty() && previous().problems.empty()));
    SECTION("one that only map.prev.h5 needs is damaged")
    {
        halve(folder / "map.changes-000002.h5");
        CHECK((current().files == 2 && current().problems.empty()));
        CHECK((previous().files == 0 && previous().generation == Generation{1}));
        REQUIRE(previous().problems.size() == 1);
        CHECK_THAT(previous().problems[0], Catch::Contains("map.changes-000002.h5"));
    }
    SECTION("a run may write map.h5 without a change file before it")
    {
        fs::remove(folder / "map.changes-000003.h5");
        CHECK((current().files == 2 && current().problems.empty()));
        CHECK((previous().files == 1 && previous().generation == Generation{2}));
        CHECK(previous().problems.empty());
    }
}

TEST_CASE("the newest state is found without its controllers")
{
    ScratchFolder const folder;
    write_map_and_changes(folder.path(), 3);
    auto const found = load_newest_intact(folder.path(), {}, Controllers::dropped);
    CHECK(found->document.state.history.back().generation == Generation{3});
    CHECK(found->changes.size() == 2);
    for (auto const& [cell, elite] : found->document.state.map.elites()) {
        CHECK(elite.controller == nullptr);
    }
}

TEST_CASE("changes of another state are refused")
{
    ScratchFolder const folder;
    write_map_and_changes(folder.path(), 4);
    auto const document = read_map(folder / "map.h5");
    CHECK_THROWS_WITH(read_changes(folder / "map.changes-000003.h5", document),
                      Catch::Contains("is neither in this file nor in the one before it"));
    CHECK_THROWS_AS(read_map(folder / "map.changes-000002.h5"), ForeignFile);
    CHECK_THROWS_AS(read_changes(folder / "map.h5", document), ForeignFile);
}

TEST_CASE("a change file with any byte changed is refused, or has the same content")
{
    ScratchFolder const folder;
    write_map_and_changes(folder.path(), 2);
    auto const path = folder / "map.changes-000002.h5";
    auto const before = read_map(folder / "map.h5");
    auto const copy = folder / "damaged.h5";
    int refused = 0;
    for (int i = 0; i < 100; ++i) {
        fs::copy_file(path, copy, fs::copy_options::overwrite_existing);
        alter_byte(copy, (i + 0.5) / 100);
        try {
            check_state_of(read_changes(copy, before), 2);
        } catch (FileError const&) {
            ++refused;
        }
    }
    CHECK(refused > 50);
}

TEST_CASE("a run resumes from the last intact change file")
{
    ScratchFolder const folder;
    write_map_and_changes(folder.path(), 5);
    auto const newest = [&] { return *load_newest_intact(folder.path()); };
    auto const changes = [&](std::int64_t g) {
        return folder / fmt::format("map.changes-{:06}.h5", g);
    };
    SECTION("all are intact")
    {
        auto const found = newest();
        CHECK(found.path == folder / "map.h5");
        CHECK(found.file == CheckpointFile::current);
        CHECK(found.changes.size() == 4);
        CHECK(found.messages.empty());
        CHECK(reachable_generation(folder.path(), folder / "map.h5") == Generation{5});
        check_state_of(found.document, 5);
    }
    SECTION("one is truncated")
    {
        halve(changes(4));
        auto const found = newest();
        CHECK(found.changes.back() == changes(3));
        REQUIRE(found.messages.size() == 3);
        CHECK_THAT(found.messages[0], Catch::Contains("map.changes-000004.h5"));
        CHECK_THAT(found.messages[1], Catch::Contains("map.changes-000005.h5 is not used"));
        CHECK_THAT(found.messages[2],
                   Catch::Contains("resuming from")
                       && Catch::Contains("map.changes-000003.h5, generation 3"));
        check_state_of(found.document, 3);
    }
    SECTION("the values of one are damaged")
    {
        hdf5::Reader const file{changes(5)};
        alter_byte(changes(5), 0.5);
        auto const found = newest();
        check_state_of(found.document, verify(changes(5)).empty() ? 5 : 4);
    }
    SECTION("one is missing")
    {
        fs::remove(changes(3));
        auto const found = newest();
        check_state_of(found.document, 2);
        CHECK_THAT(found.messages[0],
                   Catch::Contains("map.changes-000004.h5 is not used, nor is any of the 1"));
    }
    SECTION("one is a link")
    {
        fs::rename(changes(5), folder / "elsewhere.h5");
        fs::create_symlink(folder / "elsewhere.h5", changes(5));
        check_state_of(newest().document, 4);
    }
    SECTION("one was completed but not renamed")
    {
        fs::rename(changes(5), folder / ".map.changes-000005-host-1-2-3.tmp");
        check_state_of(newest().document, 5);
    }
    SECTION("one has another name")
    {
        fs::rename(changes(5), changes(2000));
        check_state_of(newest().document, 5);
    }
    SECTION("one is of another run")
    {
        auto other = evolved_to(5);
        write_map(folder / "other.h5", other);
        fs::remove(changes(5));
        write_changes(changes(5), next_generation(other), origin_for(folder / "other.h5", other));
        auto const found = newest();
        check_state_of(found.document, 4);
        CHECK_THAT(found.messages[0], Catch::Contains("map.changes-000005.h5 is not used"));
    }
    SECTION("one is not a change file")
    {
        std::ofstream{changes(6)} << "something else";
        auto const found = newest();
        check_state_of(found.document, 5);
        CHECK_THAT(found.messages[0], Catch::Contains("map.changes-000006.h5"));
    }
    SECTION("the map is missing, or damaged")
    {
        if (GENERATE(true, false)) {
            fs::remove(folder / "map.h5");
        } else {
            halve(folder / "map.h5");
        }
        CHECK_THROWS_WITH(load_newest_intact(folder.path()),
                          Catch::Contains("no map that they continue"));
        write_map(folder / "map.prev.h5", evolved_to(0));
        check_state_of(newest().document, 0);
    }
    SECTION("the map has become the previous one")
    {
        fs::rename(folder / "map.h5", folder / "map.prev.h5");
        auto const found = newest();
        CHECK(found.file == CheckpointFile::previous);
        check_state_of(found.document, 5);
    }
    SECTION("a map of one of their states is damaged")
    {
        fs::rename(folder / "map.h5", folder / "map.prev.h5");
        write_map(folder / "map.h5", evolved_to(3));
        CHECK(newest().changes.size() == 2);
        halve(folder / "map.h5");
        check_state_of(newest().document, 5);
    }
    SECTION("a newer map does not need them")
    {
        fs::remove(folder / "map.h5");
        write_map(folder / "map.h5", evolved_to(7));
        auto const found = newest();
        CHECK(found.changes.empty());
        CHECK(found.messages.empty());
        check_state_of(found.document, 7);
    }
}
