#include "catch.hpp"
#include "mees/storage/checkpoint/folder_lock.hpp"
#include "scratch_folder.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>

using namespace mees;
using test::ScratchFolder;

TEST_CASE("a second run on a folder is rejected, and a killed one leaves no lock")
{
    ScratchFolder const folder;
    {
        FolderLock const lock{folder.path()};
        CHECK(lock.held());
        CHECK_THROWS_WITH(
            FolderLock{folder.path()},
            Catch::Contains("is in use") && Catch::Contains(std::to_string(::getpid())));
    }
    pid_t const child = ::fork();
    if (child == 0) {
        FolderLock const lock{folder.path()};
        ::raise(SIGKILL);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status));
    CHECK(FolderLock{folder.path()}.held());
}

TEST_CASE("a run notices that its folder is not its own any more")
{
    ScratchFolder const scratch;
    auto const folder = scratch / "run";
    std::filesystem::create_directory(folder);
    FolderLock const lock{folder};
    CHECK_NOTHROW(lock.require_in_place());
    SECTION("moved: it may come back")
    {
        std::filesystem::rename(folder, scratch / "moved");
        CHECK_NOTHROW(lock.require_in_place());
        SECTION("an empty folder has taken its place")
        {
            std::filesystem::create_directory(folder);
            CHECK_THROWS_WITH(lock.require_in_place(),
                              Catch::Contains("not this run's any more")
                                  && Catch::Contains((scratch / "moved/.lock").string()));
        }
        SECTION("another run has taken its place")
        {
            std::filesystem::create_directory(folder);
            FolderLock const other{folder};
            CHECK_THROWS_AS(lock.require_in_place(), FolderLost);
            CHECK_NOTHROW(other.require_in_place());
        }
    }
    SECTION("removed")
    {
        std::filesystem::remove_all(folder);
        CHECK_THROWS_WITH(lock.require_in_place(), Catch::Contains(".lock was removed"));
    }
    SECTION("removed, and another run has taken its place")
    {
        std::filesystem::remove_all(folder);
        std::filesystem::create_directory(folder);
        FolderLock const other{folder};
        CHECK_THROWS_AS(lock.require_in_place(), FolderLost);
    }
}
