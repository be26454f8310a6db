#include "catch.hpp"
#include "mees/core/error.hpp"
#include "mees/storage/checkpoint/newest_map.hpp"
#include "mees/storage/checkpoint/writer.hpp"
#include "storage/samples.hpp"

#include <filesystem>

using namespace mees;
using test::sample_document;
using test::ScratchFolder;

namespace {

void cut_in_half(std::filesystem::path const& path)
{
    std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
}

}  // namespace

TEST_CASE("the newest intact checkpoint is found")
{
    ScratchFolder const folder;
    CHECK(!load_newest_intact(folder.path()));
    {
        CheckpointWriter writer{folder.path(), {}};
        writer.save(sample_document(1, {.generations = 2}));
        CHECK(!writer.wait());
        writer.save(sample_document(1, {.generations = 3}));
    }
    SECTION("both are intact")
    {
        auto const newest = load_newest_intact(folder.path());
        REQUIRE(newest);
        CHECK(newest->path == folder / "map.h5");
        CHECK(newest->messages.empty());
    }
    SECTION("a kill between the two renames left only the older name")
    {
        std::filesystem::remove(folder / "map.h5");
        CHECK(load_newest_intact(folder.path())->path == folder / "map.prev.h5");
    }
    SECTION("the newer is damaged")
    {
        cut_in_half(folder / "map.h5");
        auto const newest = load_newest_intact(folder.path());
        REQUIRE(newest);
        CHECK(newest->path == folder / "map.prev.h5");
        REQUIRE(newest->messages.size() == 2);
        CHECK(newest->messages[0].find("truncated") != std::string::npos);
    }
    SECTION("both are damaged")
    {
        cut_in_half(folder / "map.h5");
        cut_in_half(folder / "map.prev.h5");
        CHECK_THROWS_AS(load_newest_intact(folder.path()), FileError);
    }
}
