#include "catch.hpp"
#include "mees/core/atomic_file.hpp"
#include "mees/storage/checkpoint/detail/rotation.hpp"
#include "scratch_folder.hpp"

#include <filesystem>
#include <iterator>
#include <string>

using namespace mees;
using test::ScratchFolder;

namespace fs = std::filesystem;

TEST_CASE("the present map becomes the previous one once there is a new one")
{
    ScratchFolder const folder;
    auto const size = [&](char const* name) { return fs::file_size(folder / name); };
    MapRotation{folder.path()}.commit();
    CHECK(fs::is_empty(folder.path()));
    write_file(folder / map_name, "1");
    for (std::size_t length = 2; length < 5; ++length) {
        MapRotation rotation{folder.path()};
        write_file(folder / map_name, std::string(length, 'x'));
        rotation.commit();
        CHECK(size(map_name) == length);
        CHECK(size(previous_map_name) == length - 1);
    }
    CHECK(std::distance(fs::directory_iterator{folder.path()}, {}) == 2);
}

TEST_CASE("a map that is not replaced leaves the previous one as it was")
{
    ScratchFolder const folder;
    write_file(folder / map_name, "new");
    write_file(folder / previous_map_name, "older");
    {
        AtomicFile map{folder / map_name};
        MapRotation rotation{folder.path()};
        CHECK_THROWS_AS(map.commit(), WriteError);  // nothing was written to its temporary()
    }
    CHECK(fs::file_size(folder / map_name) == 3);
    CHECK(fs::file_size(folder / previous_map_name) == 5);
    CHECK(std::distance(fs::directory_iterator{folder.path()}, {}) == 2);
}

TEST_CASE("a kept copy is unaffected by a new map")
{
    ScratchFolder const folder;
    auto const kept = folder / "checkpoints" / "gen_000004.h5";
    write_file(folder / map_name, "first");
    keep_copy(folder / map_name, kept);
    write_file(folder / map_name, "longer");
    CHECK(fs::file_size(kept) == 5);
    CHECK(std::distance(fs::directory_iterator{kept.parent_path()}, {}) == 1);
    CHECK_THROWS_AS(keep_copy(folder / "missing", kept), WriteError);
}
