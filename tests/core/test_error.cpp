#include "catch.hpp"
#include "mees/core/error.hpp"

using namespace mees;

TEST_CASE("an error reads: problem (reason). Remedy.")
{
    ConfigError const error{"invalid es.population = 3", "it must be even", "Use 4."};
    CHECK(std::string{error.what()} == "invalid es.population = 3 (it must be even). Use 4.");
    CHECK(std::string{FileError{"x", "", ""}.what()} == "x");
    CHECK(std::string{FileError{"x", "y", ""}.what()} == "x (y)");
}

TEST_CASE("each kind of error has its exit code")
{
    CHECK(ConfigError{"x", "", ""}.code() == ExitCode::bad_configuration);
    CHECK(FileError{"x", "", ""}.code() == ExitCode::unusable_file);
    CHECK(SimulationError{"x", "", ""}.code() == ExitCode::failure);
    CHECK(ClusterError{"x", "", ""}.code() == ExitCode::failure);
}

TEST_CASE("a violated contract names its source location")
{
    CHECK_NOTHROW(expects(true, "truth"));
    auto const message = message_of<ContractViolation>([] { expects(false, "truth"); });
    CHECK_THAT(message, Catch::Matchers::ContainsSubstring("test_error.cpp:")
                            && Catch::Matchers::ContainsSubstring("contract violated: truth"));
}
