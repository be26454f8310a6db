#include "catch.hpp"

#include "mees/core/error.hpp"
#include "mees/sim/process/trust.hpp"
#include "mees/sim/registry.hpp"
#include "physics.hpp"
#include "scratch_folder.hpp"

#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

using namespace mees;
using namespace mees::test;
using Catch::Matchers::ContainsSubstring;

namespace {

using Words = std::vector<std::string>;

/// Sets an environment variable for as long as it lives.
class Variable {
  public:
    Variable(char const* name, std::string const& value) : name_{name}
    {
        auto const* const before = std::getenv(name);
        had_ = before != nullptr;
        before_ = had_ ? before : "";
        ::setenv(name, value.c_str(), 1);
    }
    Variable(Variable const&) = delete;
    Variable& operator=(Variable const&) = delete;
    ~Variable() { had_ ? ::setenv(name_, before_.c_str(), 1) : ::unsetenv(name_); }

  private:
    char const* name_;
    bool had_;
    std::string before_;
};

std::string content_of(std::filesystem::path const& file)
{
    std::ifstream stream{file};
    return {std::istreambuf_iterator<char>{stream}, {}};
}

}  // namespace

TEST_CASE("a command is trusted once this user has trained with exactly it", "[process]")
{
    ScratchFolder const folder;
    Variable const state{"XDG_STATE_HOME", folder.path().string()};
    Words const command{"python3", "/a/env.py"};
    CHECK_FALSE(is_trusted(command));
    trust(command);
    CHECK(is_trusted(command));
    for (auto const& other : {Words{"python3"}, Words{"python3", "/a/env.py", ""},
                              Words{"python3 /a/env.py"}, Words{"python3", "/b/env.py"}, Words{}}) {
        CHECK_FALSE(is_trusted(other));
    }
    auto const list = folder.path() / "mees" / "commands";
    struct stat status {};
    REQUIRE(::stat(list.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
    auto const once = content_of(list);
    trust(command);
    CHECK(content_of(list) == once);
    CHECK(once.find("env.py") == std::string::npos);  // digests only
}

TEST_CASE("without XDG_STATE_HOME the list is in the home folder, without one there is none",
          "[process]")
{
    ScratchFolder const folder;
    Variable const state{"XDG_STATE_HOME", "relative"};
    {
        Variable const home{"HOME", folder.path().string()};
        trust({"env"});
        CHECK(is_trusted({"env"}));
        CHECK(std::filesystem::exists(folder.path() / ".local/state/mees/commands"));
    }
    Variable const home{"HOME", ""};
    trust({"env"});
    CHECK_FALSE(is_trusted({"env"}));
}

TEST_CASE("a command that a map names runs only if it is trusted or allowed", "[process]")
{
    ScratchFolder const folder;
    Variable const state{"XDG_STATE_HOME", folder.path().string()};
    auto const settings = in_process();
    auto const refusal = [&](DomainRegistry const& domains, DomainSettings const& wanted) {
        return message_of<FileError>([&] { static_cast<void>(domains.make(wanted)); });
    };
    auto const of_map = DomainRegistry{}.without_files();
    CHECK_THAT(refusal(of_map, settings), ContainsSubstring("--allow-command"));
    CHECK_NOTHROW(of_map.allowing_commands().make(settings));
    // A map may claim to carry a robot: neither that nor other conditions let its command run.
    auto const robot = make_domain(DomainSettings{})->document();
    REQUIRE(robot);
    auto shorter = settings;
    shorter.episode_steps = 7;
    CHECK_THAT(refusal(DomainRegistry{}.carrying(robot, settings), shorter),
               ContainsSubstring("--allow-command"));
    CHECK_THAT(refusal(DomainRegistry{}.carrying(robot, std::nullopt), settings),
               ContainsSubstring("--allow-command"));
    trust(settings.process.command);
    CHECK_NOTHROW(of_map.make(settings));
    CHECK(DomainRegistry{}.starts_command("process"));
    CHECK_FALSE(DomainRegistry{}.starts_command("mjcf"));
}

TEST_CASE("a command that cannot be one is refused, whoever names it", "[process]")
{
    for (auto const& command : {Words{}, Words{""}, Words{std::string{"a\0b", 3}}}) {
        CHECK_THROWS_AS(DomainRegistry{}.make(in_process(command)), ConfigError);
    }
}
