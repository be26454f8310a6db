#include "algorithms/function_evaluator.hpp"
#include "catch.hpp"

using namespace mees;
using namespace mees::test;

TEST_CASE("history rows count every episode up to their generation")
{
    auto const problem = toy_problem();
    auto const state = final_state(problem);
    REQUIRE(state.history.size() == 31);
    for (std::size_t g = 0; g < state.history.size(); ++g) {
        CHECK(state.history[g].generation.value() == static_cast<std::int64_t>(g));
        CHECK(state.history[g].episodes == 3 + static_cast<std::int64_t>(g) * (40 + 3));
        CHECK(state.history[g].steps == state.history[g].episodes);
    }
    CHECK(state.history.front().novelty == 0);
    CHECK_FALSE(state.history.front().parent_cell.has_value());
    CHECK(state.archive.size() == 31);
}
