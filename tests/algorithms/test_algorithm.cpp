#include "algorithms/function_evaluator.hpp"
#include "catch.hpp"

using namespace mees;
using namespace mees::test;

TEST_CASE("a search's size is what it turns out to need")
{
    for (auto const* name : {"me-es", "me-ga", "ns-es", "nsr-es", "nsra-es", "es", "memes", "ga",
                             "ns", "nslc", "cma-mae", "cma-me"}) {
        for (auto const& objectives :
             {std::vector<Objective>{}, {Objective::only_fitness(), {.evolvability = 1}}}) {
            INFO(name << ", " << objectives.size() << " objectives");
            auto problem = toy_problem(name);
            problem.settings.run.generations = 3;
            auto& settings = problem.settings.algorithm;
            settings.objectives = objectives;
            settings.children = 12;
            settings.emitters = 3;
            settings.truncation = 4;
            settings.elite_candidates = 3;
            auto const size = problem.size();
            auto const state = final_state(problem);
            CHECK(state.history.front().episodes == problem.initial_episodes());
            CHECK(state.episodes
                  == problem.initial_episodes() + 3 * problem.episodes_per_generation());
            // Of several candidates one is carried on, so that fewer may stand at the end.
            CHECK(static_cast<std::int64_t>(state.emitters.size()) <= size.optimised);
        }
    }
}

// Ant as in the paper: 10,000 offspring and 30 evaluations; ME-GA's 334 x 30 is the same budget.
TEST_CASE("the paper's generations cost 10,030 and 10,020 episodes")
{
    auto const episodes = [](std::string const& algorithm) {
        auto problem = toy_problem(algorithm);
        problem.settings = Settings{};
        return problem.episodes_per_generation();
    };
    CHECK(episodes("me-es") == 10'030);
    CHECK(episodes("me-ga") == 10'020);
}
