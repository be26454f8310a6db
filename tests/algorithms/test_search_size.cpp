#include "algorithms/function_evaluator.hpp"
#include "catch.hpp"
#include "mees/algorithms/search_size.hpp"

using namespace mees;
using namespace mees::test;

TEST_CASE("a search's size is what it turns out to need")
{
    for (auto const* name : {"me-es", "me-ga", "ns-es", "nsr-es", "nsra-es", "es", "memes"}) {
        for (auto const& objectives : {std::vector<std::string>{}, {"fitness", "evolvability"}}) {
            INFO(name << ", " << objectives.size() << " objectives");
            auto problem = toy_problem();
            problem.settings.run.generations = 3;
            auto& settings = problem.settings.algorithm;
            settings.name = name;
            settings.objectives = objectives;
            settings.children = 12;
            settings.emitters = 3;
            auto const size = search_size(settings);
            auto const state = final_state(problem);
            CHECK(state.history.front().episodes == size.initial * settings.n_eval);
            CHECK(state.episodes
                  == size.initial * settings.n_eval
                         + 3 * episodes_per_generation(problem.settings));
            // Of several candidates one is carried on, so that fewer may stand at the end.
            CHECK(static_cast<std::int64_t>(state.emitters.size()) <= size.optimised);
        }
    }
}

// Ant as in the paper: 10,000 offspring and 30 evaluations; ME-GA's 334 x 30 is the same budget.
TEST_CASE("the paper's generations cost 10,030 and 10,020 episodes")
{
    Settings settings;
    CHECK(episodes_per_generation(settings) == 10'030);
    settings.algorithm.name = "me-ga";
    CHECK(episodes_per_generation(settings) == 10'020);
}
