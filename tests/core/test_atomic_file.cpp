#include "catch.hpp"
#include "mees/core/atomic_file.hpp"
#include "scratch_folder.hpp"

#include <fstream>
#include <iterator>

using namespace mees;
using test::ScratchFolder;

namespace {

std::string content_of(std::filesystem::path const& path)
{
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

std::int64_t files_in(std::filesystem::path const& folder)
{
    return std::distance(std::filesystem::directory_iterator{folder}, {});
}

}  // namespace

TEST_CASE("a written file replaces the old one and leaves no temporary file")
{
    ScratchFolder const folder;
    write_file(folder / "a.txt", "first");
    write_file(folder / "a.txt", std::string(100'000, 'x'));
    CHECK(content_of(folder / "a.txt") == std::string(100'000, 'x'));
    CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("without a commit the target stays unchanged")
{
    ScratchFolder const folder;
    write_file(folder / "a.txt", "old");
    {
        AtomicFile const file{folder / "a.txt"};
        std::ofstream{file.temporary()} << "new";
        CHECK(files_in(folder.path()) == 2);
    }
    CHECK(content_of(folder / "a.txt") == "old");
    CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("a commit without content, or to a missing folder, is a write error")
{
    ScratchFolder const folder;
    AtomicFile file{folder / "a.txt"};
    CHECK_THROWS_WITH(file.commit(), Catch::Contains("No such file or directory"));
    CHECK_THROWS_AS(write_file(folder / "missing" / "a.txt", ""), WriteError);
    CHECK(files_in(folder.path()) == 0);
}

TEST_CASE("a second link to the target can be committed")
{
    ScratchFolder const folder;
    write_file(folder / "a.txt", "a");
    {
        AtomicFile file{folder / "b.txt"};
        std::filesystem::create_hard_link(folder / "a.txt", file.temporary());
        file.commit();
    }
    {
        AtomicFile file{folder / "b.txt"};
        std::filesystem::create_hard_link(folder / "a.txt", file.temporary());
        file.commit();
    }
    CHECK(content_of(folder / "b.txt") == "a");
    CHECK(files_in(folder.path()) == 2);
}

TEST_CASE("results are never overwritten")
{
    ScratchFolder const folder;
    write_new_file(folder / "a.txt", "a");
    CHECK_THROWS_AS(write_new_file(folder / "a.txt", "b"), FileError);
    CHECK(content_of(folder / "a.txt") == "a");
    CHECK_THROWS_WITH(require_new_file(folder / "missing" / "a.txt"),
                      Catch::Contains("does not exist"));
}

TEST_CASE("temporary files of killed processes are removed by target")
{
    ScratchFolder const folder;
    for (auto const* name : {".map-host-1-2-3.tmp", ".map.prev-host-1-2-3.tmp", "map.tmp"}) {
        std::ofstream{folder / name} << "left behind";
    }
    remove_temporaries(folder.path(), "map");
    CHECK(files_in(folder.path()) == 2);
    remove_temporaries(folder.path());
    CHECK(files_in(folder.path()) == 1);
    remove_temporaries(folder / "missing");
}
