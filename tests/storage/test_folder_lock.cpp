#include "catch.hpp"
#include "mees/storage/checkpoint/folder_lock.hpp"
#include "scratch_folder.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
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
