#include "catch.hpp"

#include "mees/config/config.hpp"
#include "mees/core/error.hpp"
#include "scratch_folder.hpp"

#include <filesystem>
#include <fstream>

using namespace mees;
namespace fs = std::filesystem;

namespace {

/// A folder of files written for a test.
struct Files : test::ScratchFolder {
    fs::path write(std::string const& name, std::string const& text) const
    {
        std::ofstream{path() / name, std::ios::binary} << text;
        return path() / name;
    }
};

std::string message(fs::path const& file)
{
    try {
        static_cast<void>(read_settings(file));
    } catch (ConfigError const& error) {
        return error.what();
    }
    return "";
}

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

}  // namespace

TEST_CASE("a file is read with its overrides")
{
    Files const folder;
    auto const file = folder.write("run.toml", "\xEF\xBB\xBF[run]\r\nseed = 7\r\n");
    auto const settings = read_settings(file, {"run.generations=3"});
    CHECK(settings.run.seed == 7);
    CHECK(settings.run.generations == 3);
}

TEST_CASE("a file that cannot be a configuration is refused by name")
{
    Files const folder;
    auto const missing = folder.path() / "missing.toml";
    CHECK_THAT(message(missing), StartsWith(missing.string() + ": cannot be read (No such file"));
    CHECK_THAT(message(folder.path()), ContainsSubstring("cannot be read (it is a folder)"));
    CHECK_THAT(message(folder.write("huge.toml", std::string(2 << 20, '#'))),
               ContainsSubstring("is no configuration (it is larger than 1 MiB)"));
    CHECK_THAT(message(folder.write("binary.toml", std::string("ab\0c", 4))),
               ContainsSubstring("is no configuration (it holds binary data)"));
    CHECK_THAT(message("/dev/zero"), ContainsSubstring("is no configuration"));
    CHECK_THAT(message(folder.write("bad.toml", "[run]\nseed = ")),
               StartsWith((folder.path() / "bad.toml").string() + ": line 2: "));
    auto const closed = folder.write("closed.toml", "[run]\n");
    fs::permissions(closed, fs::perms::none);
    if (geteuid() != 0) {
        CHECK_THAT(message(closed), ContainsSubstring("cannot be read (Permission denied)"));
    }
}

TEST_CASE("names of files are found beside the configuration and become absolute")
{
    Files const folder;
    static_cast<void>(folder.write("robot.xml", "<mujoco/>"));
    auto const file = folder.write(
        "run.toml",
        "[domain]\nname = \"mjcf\"\nmodel = \"robot.xml\"\n[map]\ncvt_file = \"no.txt\"");
    auto const settings = read_settings(file);
    CHECK(settings.domain.mjcf.model == (folder.path() / "robot.xml").string());
    CHECK(settings.map.cvt_file == "no.txt");
    CHECK(parse_settings(to_toml(settings), "written") == settings);
}
