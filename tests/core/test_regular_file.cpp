#include "catch.hpp"
#include "mees/core/regular_file.hpp"
#include "mees/core/resources.hpp"
#include "scratch_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <limits>
#include <vector>

using namespace mees;

TEST_CASE("only regular files are opened, and nothing is waited for")
{
    test::ScratchFolder const folder;
    std::ofstream{folder / "file"} << "content";
    std::filesystem::create_symlink(folder / "file", folder / "link");
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    CHECK(unreadable(folder / "file").empty());
    CHECK(unreadable(folder / "link").empty());
    CHECK(unreadable(folder / "pipe") == "it is a named pipe");
    CHECK(unreadable(folder.path()) == "it is a folder");
    CHECK(unreadable("/dev/zero") == "it is a device");
    CHECK(unreadable(folder / "none") == "No such file or directory");
    CHECK(open_regular(folder / "link", O_WRONLY | O_NOFOLLOW).problem == "it is a symbolic link");
    CHECK(open_regular(folder / "pipe", O_WRONLY).problem == "it is a named pipe");
    auto const created = open_regular(folder / "new", O_WRONLY | O_CREAT);
    CHECK(created.problem.empty());
    ::close(created.descriptor);
}

TEST_CASE("errors about memory and threads name what asks for them")
{
    auto const settings = [] { return "es.population = 5"; };
    CHECK(with_resources(settings, [] { return 3; }) == 3);
    CHECK_THROWS_WITH(with_resources(settings, [] { throw std::bad_alloc{}; }),
                      Catch::Contains("not enough memory for es.population = 5"));
    CHECK_THROWS_WITH(
        with_resources(settings,
                       [] { return std::vector<char>(std::numeric_limits<std::size_t>::max()); }),
        Catch::Contains("not enough memory for es.population = 5"));
    auto const no_thread = [] {
        throw std::system_error{std::make_error_code(std::errc::resource_unavailable_try_again)};
    };
    CHECK_THROWS_WITH(with_resources(settings, no_thread), Catch::Contains("--threads"));
}
