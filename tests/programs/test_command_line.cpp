#include "catch.hpp"
#include "mees/programs/detail/command_line.hpp"

#include <sstream>
#include <stdexcept>

using namespace mees;

TEST_CASE("descriptions are wrapped at 100 columns")
{
    std::string target;
    CommandLine line{"program", "A program.", "Exit codes: 0 done."};
    std::string words;
    for (int i = 0; i < 60; ++i) {
        words += "word ";
    }
    line.app().add_option("--long", target, words);
    char const* const arguments[] = {"program", "--help"};
    std::istringstream text{line.parse(2, arguments).value()};
    std::size_t longest = 0;
    for (std::string row; std::getline(text, row);) {
        longest = std::max(longest, row.size());
    }
    CHECK(longest > 90);
    CHECK(longest <= 100);
}

TEST_CASE("a choice is one of its names")
{
    int target = 0;
    CommandLine line{"program", ""};
    add_choice(line.app(), "--size", target, {{"small", 1}, {"large", 2}}, "Size");
    char const* const large[] = {"program", "--size", "large"};
    CHECK_FALSE(line.parse(3, large));
    CHECK(target == 2);
    char const* const unknown[] = {"program", "--size", "huge"};
    CHECK_THROWS_AS(line.parse(3, unknown), ConfigError);
}

TEST_CASE("the exit status of a program follows from its exception")
{
    CHECK(run_program("p", [] { return ExitCode::stopped_early; }) == 75);
    CHECK(run_program("p", []() -> ExitCode { throw FileError{"x", "", ""}; }) == 3);
    CHECK(run_program("p", []() -> ExitCode { throw std::runtime_error{"x"}; }) == 1);
}
