#include "catch.hpp"

#include "mees/config/config.hpp"
#include "mees/core/error.hpp"
#include "scratch_folder.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

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

TEST_CASE("a pipe is read, but not waited for without end")
{
    Files const folder;
    auto const pipe = folder.path() / "pipe.toml";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK_THAT(message(pipe), ContainsSubstring("it is a pipe to which nothing is written"));
    std::thread writer{[&] { std::ofstream{pipe} << "[run]\nseed = 7\n"; }};
    CHECK(read_settings(pipe).run.seed == 7);
    writer.join();
}

TEST_CASE("keys of very many parts are rejected, dots elsewhere are not")
{
    std::string parts{"a"};
    for (int i = 0; i < 40'000; ++i) {
        parts += ".a";
    }
    Files const folder;
    for (auto const& text : {parts + " = 1", "[" + parts + "]", "[run]\nx = {" + parts + " = 1}"}) {
        CHECK_THAT(message(folder.write("deep.toml", text)),
                   ContainsSubstring("a key has too many parts"));
    }
    CHECK_THROWS_AS(parse_settings("", "none", {"map.bins=[{" + parts + " = 1}]"}), ConfigError);
    std::string const dots(200, '.');
    auto const harmless = folder.write(
        "harmless.toml", "# " + dots + "\n[run]\nseed = 7 # " + dots + "\nstart_from = \"\\\""
                             + dots + "\"\nstart_cells = '''" + dots + "'''\n");
    CHECK(read_settings(harmless).run.seed == 7);
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

TEST_CASE("files that a command names are found next to the configuration, programs in PATH")
{
    Files const folder;
    static_cast<void>(folder.write("env.py", ""));
    static_cast<void>(folder.write("python3", ""));  // not a program that PATH names
    std::filesystem::create_directory(folder.path() / "folder");
    auto const resolved = [&](std::string const& command) {
        auto const file = folder.write("run.toml", "[domain]\ncommand = [" + command + "]");
        return read_settings(file).domain.process.command;
    };
    using Words = std::vector<std::string>;
    auto const here = [&](char const* name) { return (folder.path() / name).string(); };
    CHECK(resolved(R"("python3", "env.py", "--env.py")")
          == Words{"python3", here("env.py"), "--env.py"});
    CHECK(resolved(R"("./env.py", "folder", "")") == Words{here("env.py"), "folder", ""});
    CHECK(resolved(R"("folder/../env.py")") == Words{here("env.py")});
    CHECK(resolved(R"("./no", "/no/such", "no.py")") == Words{"./no", "/no/such", "no.py"});
    CHECK(resolved("").empty());
    // As the Python of a virtual environment, which must be started under this name.
    std::filesystem::create_symlink("/bin/sh", folder.path() / "folder" / "python");
    CHECK(resolved(R"("folder/python")") == Words{here("folder/python")});
}

TEST_CASE("a file next to the configuration comes before one in the working directory")
{
    Files const folder;
    std::filesystem::create_directory(folder.path() / "configs");
    static_cast<void>(folder.write("env.py", ""));
    auto const file = folder.write("configs/run.toml", "[domain]\ncommand = [\"cc\", \"env.py\"]");
    auto const program = [&] { return read_settings(file).domain.process.command.at(1); };
    auto const before = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    auto const in_working_directory = program();
    static_cast<void>(folder.write("configs/env.py", ""));
    auto const next_to_it = program();
    std::filesystem::current_path(before);
    CHECK(in_working_directory == (folder.path() / "env.py").string());
    CHECK(next_to_it == (folder.path() / "configs" / "env.py").string());
}
