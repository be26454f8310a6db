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
    return message_of<ConfigError>([&] { static_cast<void>(read_settings(file)); });
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

TEST_CASE("a file that cannot be a configuration is rejected by name")
{
    Files const folder;
    auto const missing = folder.path() / "missing.toml";
    CHECK_THAT(message(missing), StartsWith("cannot read " + missing.string() + " (No such file"));
    CHECK_THAT(message(folder.path()), ContainsSubstring(" (it is a folder). Give a TOML file."));
    CHECK_THAT(message(folder.write("huge.toml", std::string(2 << 20, '#'))),
               ContainsSubstring("huge.toml (it is larger than 1 MiB)"));
    CHECK_THAT(message(folder.write("binary.toml", std::string("ab\0c", 4))),
               ContainsSubstring("binary.toml (it contains binary data)"));
    CHECK_THAT(message("/dev/zero"), StartsWith("invalid configuration /dev/zero"));
    CHECK_THAT(message(folder.write("bad.toml", "[run]\nseed = ")),
               ContainsSubstring((folder.path() / "bad.toml").string() + ", line 2, "));
    auto const closed = folder.write("closed.toml", "[run]\n");
    fs::permissions(closed, fs::perms::none);
    if (geteuid() != 0) {
        CHECK_THAT(message(closed), ContainsSubstring("(Permission denied)"));
    }
}

TEST_CASE("names of files are found next to the configuration and become absolute")
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
