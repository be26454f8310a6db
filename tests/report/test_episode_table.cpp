#include "catch.hpp"
#include "mees/report/episode_table.hpp"

#include <sstream>

using namespace mees;

TEST_CASE("episodes are a line each, numbers to the right and the end to the left")
{
    // A BC may have the name of the last column; it stays a column of numbers.
    TaskSpec spec;
    spec.bc_names = {"end"};
    std::vector<ReplayedEpisode> episodes(2);
    episodes[0].outcome.fitness = 1;
    episodes[0].outcome.steps = 9;
    episodes[0].outcome.end = EpisodeEnd::terminated;
    episodes[0].bc = {-10.5};
    episodes[1].outcome.fitness = 3;
    episodes[1].outcome.steps = 10;
    episodes[1].outcome.end = EpisodeEnd::completed;
    episodes[1].bc = {2.5};

    std::istringstream lines{episode_table(episodes, spec)};
    std::vector<std::string> table;
    for (std::string line; std::getline(lines, line);) {
        table.push_back(line);
    }
    REQUIRE(table.size() == 5);
    auto const head = table[0].find(" end");
    auto const last = table[0].rfind("end");
    REQUIRE(head + 1 < last);
    // The numbers end where their heading ends, the words begin where theirs begins.
    for (auto const& line : {table[1], table[2]}) {
        CHECK(line[head + 3] != ' ');
        CHECK(line[head + 4] == ' ');
        CHECK(line[last] != ' ');
        CHECK(line[last - 1] == ' ');
    }
    CHECK(table[1].substr(last) == "terminated");
    CHECK(table[2].substr(last) == "completed");
}
