#include "catch.hpp"
#include "mees/core/error.hpp"
#include "mees/storage/checkpoint/newest_map.hpp"
#include "mees/storage/checkpoint/writer.hpp"
#include "mees/storage/map/file.hpp"
#include "storage/samples.hpp"

#include <sys/stat.h>

#include <filesystem>

using namespace mees;
namespace fs = std::filesystem;
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

TEST_CASE("a complete temporary file and a kept checkpoint are found where they are the newest")
{
    ScratchFolder const folder;
    auto const write = [&](std::string const& name, std::int64_t generation) {
        fs::create_directories((folder / name).parent_path());
        write_map(folder / name, sample_document(1, {.generations = generation + 1}));
    };
    auto const found = [&] {
        auto const newest = load_newest_intact(folder.path());
        return newest ? newest->path.lexically_relative(folder.path()).string() : "";
    };
    write(".map-host-1-2-0.tmp", 3);
    CHECK(found() == ".map-host-1-2-0.tmp");
    write("map.h5", 3);
    CHECK(found() == "map.h5");
    write(".map.prev-host-1-2-1.tmp", 5);
    CHECK(found() == ".map.prev-host-1-2-1.tmp");
    CHECK(load_newest_intact(folder.path())->messages.size() == 2);
    cut_in_half(folder / ".map.prev-host-1-2-1.tmp");
    write("checkpoints/gen_000002.h5", 2);
    write("checkpoints/gen_000009.h5", 9);
    CHECK(found() == "map.h5");  // someone may have put an older one there
    cut_in_half(folder / "map.h5");
    CHECK(found() == "checkpoints/gen_000009.h5");
    cut_in_half(folder / "checkpoints/gen_000009.h5");
    CHECK(found() == ".map-host-1-2-0.tmp");
    cut_in_half(folder / ".map-host-1-2-0.tmp");
    CHECK(found() == "checkpoints/gen_000002.h5");
    cut_in_half(folder / "checkpoints/gen_000002.h5");
    auto const message =
        message_of<FileError>([&] { static_cast<void>(load_newest_intact(folder.path())); });
    for (auto const* name : {"map.h5", ".map-host-1-2-0.tmp", "gen_000009.h5", "gen_000002.h5"}) {
        CHECK_THAT(message, Catch::Matchers::ContainsSubstring(name));
    }
    fs::remove(folder / "map.h5");
    fs::remove_all(folder / "checkpoints");
    CHECK(found().empty());  // an incomplete temporary file is not a checkpoint
}

TEST_CASE("checkpoints of another run are named, not used")
{
    ScratchFolder const folder;
    auto const other = [](MapDocument const&) { return std::vector<std::string>{"another seed"}; };
    write_map(folder / ".map-host-1-2-0.tmp", sample_document(1));
    CHECK_THROWS_WITH(load_newest_intact(folder.path(), other),
                      Catch::Contains(".map-host-1-2-0.tmp is an intact checkpoint of another run")
                          && Catch::Contains("another seed"));
    write_map(folder / "map.h5", sample_document(1, {.generations = 2}));
    CHECK(load_newest_intact(folder.path(), other)->path == folder / "map.h5");
}

TEST_CASE("links and pipes are not checkpoints")
{
    ScratchFolder const folder;
    write_map(folder / "elsewhere.h5", sample_document(1));
    write_map(folder / "map.prev.h5", sample_document(2));
    SECTION("link")
    {
        fs::create_symlink(folder / "elsewhere.h5", folder / "map.h5");
    }
    SECTION("pipe")
    {
        REQUIRE(::mkfifo((folder / "map.h5").c_str(), 0600) == 0);
    }
    auto const newest = load_newest_intact(folder.path());
    CHECK(newest->path == folder / "map.prev.h5");
    CHECK(newest->map_is_damaged);
}

TEST_CASE("a damaged map never takes the place of an intact one")
{
    ScratchFolder const folder;
    write_map(folder / "map.prev.h5", sample_document(1, {.generations = 3}));
    write_map(folder / "map.h5", sample_document(1, {.generations = 4}));
    cut_in_half(folder / "map.h5");
    SECTION("the previous one is intact")
    {
        adopt(folder.path(), *load_newest_intact(folder.path()));
        CHECK(!fs::exists(folder / "map.h5"));
        CHECK(read_map(folder / "map.prev.h5").state.history.size() == 3);
    }
    SECTION("a temporary file is the only intact one")
    {
        cut_in_half(folder / "map.prev.h5");
        write_map(folder / ".map-host-1-2-0.tmp", sample_document(1, {.generations = 6}));
        adopt(folder.path(), *load_newest_intact(folder.path()));
        CHECK(read_map(folder / "map.h5").state.history.size() == 6);
        CHECK(!fs::exists(folder / ".map-host-1-2-0.tmp"));
    }
    SECTION("a kept checkpoint is the only intact one")
    {
        cut_in_half(folder / "map.prev.h5");
        fs::create_directory(folder / "checkpoints");
        write_map(folder / "checkpoints/gen_000005.h5", sample_document(1, {.generations = 6}));
        adopt(folder.path(), *load_newest_intact(folder.path()));
        CHECK(read_map(folder / "map.h5").state.history.size() == 6);
        CHECK(fs::exists(folder / "checkpoints/gen_000005.h5"));
    }
    CHECK(fs::exists(folder / "map.damaged.h5"));
    {
        CheckpointWriter writer{folder.path(), {}};
        writer.save(sample_document(1, {.generations = 8}));
    }
    CHECK(read_map(folder / "map.h5").state.history.size() == 8);
    CHECK_NOTHROW(read_map(folder / "map.prev.h5"));
}
