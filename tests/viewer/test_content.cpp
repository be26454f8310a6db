#include "mees/core/error.hpp"
#include "mees/viewer/content.hpp"
#include "storage/samples.hpp"

#include "catch.hpp"

using namespace mees;
using namespace mees::viewer;
using Catch::Matchers::ContainsSubstring;

namespace {

/// What the page gets of a map with this configuration.
std::string json_of(test::ScratchFolder const& folder, MapDocument document,
                    std::string const& domain, std::string const& config)
{
    document.run.domain = domain;
    document.run.config = config;
    std::filesystem::remove(folder / "map.h5");
    write_map(folder / "map.h5", document);
    Library const library{{folder / "map.h5"}};
    return map_json(library, 0, *library.current(0));
}

}  // namespace

TEST_CASE("the page is told the command of a program, which is not started")
{
    test::ScratchFolder const folder;
    auto const mark = (folder / "started").string();
    auto const config = "[domain]\nname = \"process\"\ncommand = [\"touch\", \"" + mark + "\"]\n";
    auto document = test::sample_document(1);
    // Without the statement, as early maps are, and with it.
    auto const without = json_of(folder, document, "process", config);
    CHECK_THAT(without, ContainsSubstring("\"domain\":null"));
    CHECK_THAT(without,
               ContainsSubstring("\"program\":{\"command\":[\"touch\",\"" + mark + "\"]}"));
    document.program =
        ProgramStatement{3, 2, 40, 0.1, FitnessRule::sum_of_rewards, true, {"speed"}};
    auto const with = json_of(folder, document, "process", config);
    CHECK_THAT(with, ContainsSubstring("\"domain\":null"));
    CHECK_THAT(with, ContainsSubstring("\"reward_terms\":[\"speed\"]"));
    CHECK_FALSE(std::filesystem::exists(mark));
}

TEST_CASE("a map of another domain has no program, whatever its configuration says")
{
    test::ScratchFolder const folder;
    auto const json = json_of(folder, test::sample_document(1), "point_maze",
                              "[domain]\nname = \"point_maze\"\ncommand = [\"touch\", \"x\"]\n");
    CHECK_THAT(json, ContainsSubstring("\"program\":null"));
}
