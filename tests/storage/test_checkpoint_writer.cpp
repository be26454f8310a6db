#include "catch.hpp"
#include "mees/storage/checkpoint/writer.hpp"
#include "mees/storage/diff.hpp"
#include "mees/storage/map/file.hpp"
#include "storage/samples.hpp"

#include <unistd.h>

#include <fstream>

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
