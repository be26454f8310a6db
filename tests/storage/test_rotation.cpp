#include "catch.hpp"
#include "mees/core/atomic_file.hpp"
#include "mees/storage/checkpoint/detail/rotation.hpp"
#include "scratch_folder.hpp"

#include <filesystem>
#include <iterator>

using namespace mees;
using test::ScratchFolder;

namespace fs = std::filesystem;

TEST_CASE("the present map becomes the previous one and keeps its name")
{
    ScratchFolder const folder;
    keep_previous(folder.path());
    CHECK(fs::is_empty(folder.path()));
    write_file(folder / map_name, "first");
    for (int repeat = 0; repeat < 2; ++repeat) {
        keep_previous(folder.path());
        CHECK(fs::equivalent(folder / map_name, folder / previous_map_name));
    }
    write_file(folder / map_name, "second");
    CHECK_FALSE(fs::equivalent(folder / map_name, folder / previous_map_name));
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
