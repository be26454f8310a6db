#include "catch.hpp"

#include "mees/report/navigation_table.hpp"

using namespace mees;
using Catch::Matchers::ContainsSubstring;

// Seeds 0 and 1 of J0 need (4 + 6) / 2 = 5 and (10 + 100) / 2 = 55 actions per target, the second
// target of seed 1 being missed: 30 +- 25.
TEST_CASE("the table of walks", "[navigation]")
{
    std::vector<NavigationResult> const results{
        {"J0", 0, true, {{4, true, 0}, {6, true, 1}}, {}},
        {"J0", 1, true, {{10, true, 0}, {3, false, 0}}, {}},
        {"J0", 0, false, {{8, true, 0}, {8, true, 0}}, {}},
        {"intact", 0, true, {{1, true, 0}, {2, true, 0}}, {}},
    };
    auto const text = navigation_table(results, 100);
    CHECK_THAT(text, ContainsSubstring("damage      learning  reached  no learning  reached\n"));
    CHECK_THAT(text, ContainsSubstring("J0      30.0 +- 25.0      3/4   8.0 +- 0.0      2/2\n"));
    CHECK_THAT(text, ContainsSubstring("intact    1.5 +- 0.0      2/2            -        -\n"));
    CHECK_THAT(text, ContainsSubstring("not reached counts as 100"));
    CHECK_THAT(navigation_csv(results), ContainsSubstring("J0,1,1,1,3,0,0\n"));
}
