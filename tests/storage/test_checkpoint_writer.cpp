#include "catch.hpp"
#include "mees/storage/checkpoint/writer.hpp"
#include "mees/storage/diff.hpp"
#include "mees/storage/map/file.hpp"
#include "storage/samples.hpp"

#include <unistd.h>

#include <atomic>
#include <fstream>
#include <future>

using namespace mees;
using test::sample_document;
using test::ScratchFolder;

namespace {

MapDocument at_generation(std::int64_t generation)
{
    return sample_document(1, {.generations = generation + 1});
}

std::int64_t files_in(std::filesystem::path const& folder)
{
    return std::distance(std::filesystem::directory_iterator{folder}, {});
}

}  // namespace

TEST_CASE("checkpoints are written, the previous one is kept, no other file remains", "[threads]")
{
    ScratchFolder const folder;
    std::ofstream{folder / ".map-otherhost-1-2-3.tmp"} << "left by a killed run";
    {
        CheckpointWriter writer{folder.path(), {}};
        writer.save(at_generation(1));
        CHECK(!writer.wait());
        CHECK(!std::filesystem::exists(folder / "map.prev.h5"));
        writer.save(at_generation(2));
        CHECK(!writer.wait());
        CHECK(writer.saved() == Generation{2});
    }
    CHECK(MapReader{folder / "map.h5"}.generation() == Generation{2});
    CHECK(MapReader{folder / "map.prev.h5"}.generation() == Generation{1});
    CHECK(files_in(folder.path()) == 2);
}

TEST_CASE("without a map.h5 old temporary files stay until there is one", "[threads]")
{
    ScratchFolder const folder;
    auto const old = folder / ".map-otherhost-1-2-3.tmp";
    std::ofstream{old} << "left by a killed run";
    CheckpointWriter writer{folder.path(), {}};
    CHECK(std::filesystem::exists(old));
    writer.save(at_generation(1));
    CHECK(!writer.wait());
    CHECK(!std::filesystem::exists(old));
}

TEST_CASE("a newer state that was not read stays until there is another", "[threads]")
{
    ScratchFolder const folder;
    write_map(folder / "map.h5", at_generation(2));
    write_map(folder / ".map-host-1-2-1.tmp", at_generation(1));
    write_map(folder / ".map-host-1-2-3.tmp", at_generation(3));
    std::ofstream{folder / ".map-host-1-2-4.tmp"} << "damaged";
    CheckpointWriter writer{folder.path(), {}};
    CHECK(files_in(folder.path()) == 2);
    CHECK(MapReader{folder / ".map-host-1-2-3.tmp"}.generation() == Generation{3});
    writer.save(at_generation(4));
    CHECK_FALSE(writer.wait());
    CHECK(files_in(folder.path()) == 2);
    CHECK(MapReader{folder / "map.prev.h5"}.generation() == Generation{2});
}

TEST_CASE("of waiting snapshots the newest and all to be kept are written", "[threads]")
{
    ScratchFolder const folder;
    {
        CheckpointWriter writer{folder.path(), {.keep = 4}};
        for (std::int64_t g = 0; g <= 12; ++g) {
            writer.save(at_generation(g));
        }
    }
    CHECK(MapReader{folder / "map.h5"}.generation() == Generation{12});
    for (auto const* name : {"gen_000000.h5", "gen_000004.h5", "gen_000008.h5", "gen_000012.h5"}) {
        CHECK(std::filesystem::exists(folder / "checkpoints" / name));
    }
    CHECK(files_in(folder / "checkpoints") == 4);
    CHECK(diff(folder / "map.h5", folder / "checkpoints" / "gen_000012.h5").empty());
}

TEST_CASE("the cadence counts generations and seconds")
{
    ScratchFolder const folder;
    CheckpointWriter by_generation{folder.path(), {.every_seconds = 0, .every_generations = 3}};
    CHECK(!by_generation.due(Generation{2}));
    CHECK(by_generation.due(Generation{3}));
    by_generation.save(at_generation(4));
    CHECK(!by_generation.due(Generation{6}));
    CHECK(by_generation.due(Generation{7}));
    CHECK(!by_generation.wait());
    CheckpointWriter by_time{folder.path(), {.every_seconds = 0.01}};
    ::usleep(20'000);
    CHECK(by_time.due(Generation{0}));
    CheckpointWriter never{folder.path(), {.every_seconds = 0}};
    CHECK(!never.due(Generation{1'000'000}));
}

TEST_CASE("a checkpoint that cannot be written is reported, and the next may succeed", "[threads]")
{
    ScratchFolder const folder;
    CheckpointWriter writer{folder / "run", {}};
    writer.save(at_generation(1));
    auto const failure = writer.wait();
    REQUIRE(failure);
    CHECK(failure->find("No such file or directory") != std::string::npos);
    CHECK(!writer.saved());
    std::filesystem::create_directory(folder / "run");
    writer.save(at_generation(2));
    CHECK(!writer.wait());
    CHECK(writer.saved() == Generation{2});
}

TEST_CASE("waiting drops an older checkpoint that is being written", "[threads]")
{
    ScratchFolder const folder;
    std::promise<void> begun;
    std::promise<void> go_on;
    std::atomic<int> calls{0};
    CheckpointWriter writer{folder.path(), {.keep = 4}, [&] {
                                if (++calls == 3) {
                                    begun.set_value();
                                    go_on.get_future().wait();
                                }
                            }};
    writer.save(at_generation(2));  // the first is never dropped, and asks for the folder twice
    CHECK(!writer.wait());
    auto const save_both = [&](std::int64_t first, std::int64_t last) {
        writer.save(at_generation(first));
        begun.get_future().wait();
        writer.save(at_generation(last));
        auto failure = std::async(std::launch::async, [&] { return writer.wait(); });
        ::usleep(100'000);  // now it waits
        go_on.set_value();
        CHECK(!failure.get());
        CHECK(MapReader{folder / "map.h5"}.generation() == Generation{last});
    };
    SECTION("it is dropped")
    {
        save_both(3, 5);
        CHECK(MapReader{folder / "map.prev.h5"}.generation() == Generation{2});
    }
    SECTION("unless it is to be kept")
    {
        save_both(4, 5);
        CHECK(MapReader{folder / "checkpoints" / "gen_000004.h5"}.generation() == Generation{4});
        CHECK(MapReader{folder / "map.prev.h5"}.generation() == Generation{4});
    }
}

TEST_CASE("after a slow checkpoint the writer rests, unless it is waited for", "[threads]")
{
    ScratchFolder const folder;
    std::atomic<int> calls{0};
    CheckpointWriter writer{
        folder.path(), {.keep = 4}, [&] { ::usleep(calls++ == 0 ? 1'100'000 : 0); }};
    auto const is_soon_saved = [&](Generation generation) {
        for (int i = 0; i < 100 && writer.saved() != generation; ++i) {
            ::usleep(10'000);
        }
        return writer.saved() == generation;
    };
    writer.save(at_generation(1));
    CHECK(!writer.wait());
    CHECK(writer.longest_seconds() >= 1.1);
    writer.save(at_generation(2));
    CHECK_FALSE(is_soon_saved(Generation{2}));
    SECTION("it is waited for")
    {
        CHECK(!writer.wait());
        CHECK(writer.saved() == Generation{2});
        writer.save(at_generation(3));
        CHECK(is_soon_saved(Generation{3}));  // a fast one causes no rest
    }
    SECTION("the next one is to be kept")
    {
        writer.save(at_generation(4));
        CHECK(is_soon_saved(Generation{4}));
    }
    CHECK(writer.longest_seconds() >= 1.1);
}

TEST_CASE("a first checkpoint that cannot be read back ends the run", "[threads]")
{
    ScratchFolder const folder;
    std::vector<std::int64_t> const layers(70, 2);  // more than a reader accepts
    CheckpointWriter writer{folder.path(), {}};
    CHECK_NOTHROW(writer.require_working());
    writer.save(sample_document(1, {.layers = layers}));
    CHECK(writer.wait());
    CHECK_THROWS_WITH(writer.require_working(),
                      Catch::Contains("cannot read back") && Catch::Contains("/map@layers"));
    CHECK(files_in(folder.path()) == 0);
}

TEST_CASE("a copy that cannot be kept does not hide that the map was written", "[threads]")
{
    ScratchFolder const folder;
    std::ofstream{folder / "checkpoints"} << "a file";
    CheckpointWriter writer{folder.path(), {.keep = 2}};
    writer.save(at_generation(2));
    auto const failure = writer.wait();
    REQUIRE(failure);
    CHECK_THAT(*failure, Catch::Contains("map.h5 of generation 2 was written, but not")
                             && Catch::Contains("gen_000002.h5"));
    CHECK(writer.saved() == Generation{2});
    CHECK(MapReader{folder / "map.h5"}.generation() == Generation{2});
}

TEST_CASE("a previous map that cannot be replaced does not prevent a new one", "[threads]")
{
    ScratchFolder const folder;
    std::filesystem::create_directories(folder / "map.prev.h5" / "occupied");
    CheckpointWriter writer{folder.path(), {.keep = 2}};
    writer.save(at_generation(1));
    CHECK_FALSE(writer.wait());
    writer.save(at_generation(2));
    auto const failure = writer.wait();
    REQUIRE(failure);
    CHECK_THAT(*failure, Catch::Contains("map.h5 of generation 2 was written, but not")
                             && Catch::Contains("map.prev.h5"));
    CHECK(writer.saved() == Generation{2});
    CHECK(MapReader{folder / "checkpoints" / "gen_000002.h5"}.generation() == Generation{2});
    CHECK(files_in(folder.path()) == 3);
}

TEST_CASE("nothing is written into a folder that is not the run's any more", "[threads]")
{
    ScratchFolder const folder;
    CheckpointWriter writer{folder.path(), {}, [] { throw WriteError{"not ours", "", ""}; }};
    writer.save(at_generation(2));
    CHECK(writer.wait() == "not ours");
    CHECK_THROWS_AS(writer.require_working(), WriteError);
    CHECK(files_in(folder.path()) == 0);
}
