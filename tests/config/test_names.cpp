#include "catch.hpp"

#include "mees/config/detail/names.hpp"

using namespace mees;

TEST_CASE("edit distance counts insertions, deletions, changes and swaps of neighbours")
{
    CHECK(edit_distance("", "") == 0);
    CHECK(edit_distance("sigma", "sigma") == 0);
    CHECK(edit_distance("", "abc") == 3);
    CHECK(edit_distance("kitten", "sitting") == 3);  // the textbook example
    CHECK(edit_distance("poplation", "population") == 1);
    CHECK(edit_distance("me-se", "me-es") == 1);
    CHECK(edit_distance("abcd", "badc") == 2);
}

TEST_CASE("the nearest name wins, the first of them at a tie")
{
    std::vector<std::string> const names{"sigma", "l2", "l3", "population"};
    CHECK(nearest_name("sigmma", names) == "sigma");
    CHECK(nearest_name("l4", names) == "l2");
    CHECK(nearest_name("x", {}).empty());
    CHECK(suggestion("popluation", names) == "Did you mean population?");
    CHECK(suggestion("popsize", std::vector<std::string>{"optimizer", "population"})
          == "The nearest known name is population.");
    CHECK(suggestion("zzzzzzzzz", names) == "The nearest known name is sigma.");
    CHECK(suggestion("x", {}).empty());
    CHECK(nearest_name(std::string(100'000, 'q'), names) == "sigma");
}

TEST_CASE("a string in a message is short and has no control characters")
{
    CHECK(printable("es.sigma") == "es.sigma");
    CHECK(printable("a\x1b[31m\n") == "a?[31m?");
    CHECK(printable(std::string(200, 'a')) == std::string(80, 'a') + "...");
}
