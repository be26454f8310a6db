#include "catch.hpp"
#include "mees/core/atomic_file.hpp"
#include "mees/core/process.hpp"
#include "scratch_folder.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

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

TEST_CASE("a file is not replaced if that is prevented before the commit")
{
    ScratchFolder const folder;
    write_file(folder / "a.txt", "old");
    CHECK_THROWS_WITH(
        write_file(folder / "a.txt", "new", [] { throw std::runtime_error{"prevented"}; }),
        "prevented");
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

TEST_CASE("results are not overwritten")
{
    ScratchFolder const folder;
    write_new_file(folder / "a.txt", "a");
    CHECK_THROWS_AS(write_new_file(folder / "a.txt", "b"), FileError);
    CHECK(content_of(folder / "a.txt") == "a");
    CHECK_THROWS_WITH(require_output(folder / "missing" / "a.txt", Existing::keep),
                      Catch::Contains("does not exist"));
    AtomicFile late{folder / "a.txt"};
    write_file(late.temporary(), "late");
    CHECK_THROWS_AS(late.commit(Existing::keep), FileError);
    CHECK(content_of(folder / "a.txt") == "a");
}

TEST_CASE("results are overwritten if asked, but neither inputs nor folders")
{
    ScratchFolder const folder;
    write_file(folder / "a.txt", "a");
    write_new_file(folder / "a.txt", "b", Existing::replace);
    CHECK(content_of(folder / "a.txt") == "b");
    std::filesystem::create_hard_link(folder / "a.txt", folder / "same.txt");
    CHECK_THROWS_WITH(require_output(folder / "same.txt", Existing::replace, folder / "a.txt"),
                      Catch::Contains("it is the input"));
    CHECK_NOTHROW(require_output(folder / "new.txt", Existing::replace, folder / "a.txt"));
    std::filesystem::create_directory(folder / "folder");
    CHECK_THROWS_WITH(require_output(folder / "folder", Existing::replace),
                      Catch::Contains("not a file"));
    std::filesystem::create_symlink("nowhere", folder / "link");
    CHECK_THROWS_AS(require_output(folder / "link", Existing::keep), FileError);
}

TEST_CASE("temporary files of a target are removed once their process has ended")
{
    ScratchFolder const folder;
    pid_t const ended = fork();
    if (ended == 0) {
        _exit(0);
    }
    waitpid(ended, nullptr, 0);
    auto const name = [&](std::string const& stem, std::string const& host, pid_t process) {
        return folder / fmt::format(".{}-{}-{}-1f-0.tmp", stem, host, process);
    };
    auto const host = process_origin();
    auto const gone = name("a", host, ended);
    std::vector const kept{name("a", host, getpid()), name("a", "elsewhere", ended),
                           name("a-b", host, ended), name("ab", host, ended),
                           folder / fmt::format(".a-{}-{}.tmp", host, ended)};
    for (auto const& path : kept) {
        std::ofstream{path} << "in use";
    }
    std::ofstream{gone} << "left behind";
    require_output(folder / "a.h5", Existing::keep);
    CHECK_FALSE(std::filesystem::exists(gone));
    CHECK(
        std::ranges::all_of(kept, [](auto const& path) { return std::filesystem::exists(path); }));
}

TEST_CASE("temporary files of killed processes are removed by target")
{
    ScratchFolder const folder;
    AtomicFile const file{folder / "map.h5"};
    AtomicFile const other{folder / "map-2.h5"};
    for (auto const& path : {folder / ".map-host-1-2-3.tmp", folder / ".map-2-host-1-2-3.tmp",
                             folder / ".map.prev-host-1-2-3.tmp", folder / "map.tmp",
                             folder / ".map-other.tmp", file.temporary(), other.temporary()}) {
        std::ofstream{path} << "left behind";
    }
    remove_temporaries(folder.path(), "map");
    CHECK_FALSE(std::filesystem::exists(file.temporary()));
    CHECK(std::filesystem::exists(other.temporary()));
    CHECK(files_in(folder.path()) == 5);
    remove_temporaries(folder.path());
    CHECK(files_in(folder.path()) == 2);
    remove_temporaries(folder / "missing");
}
