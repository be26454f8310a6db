#include "algorithms/function_evaluator.hpp"
#include "catch.hpp"

#include <map>

using namespace mees;
using namespace mees::test;

namespace {

SearchProblem small_population(std::string const& name)
{
    auto problem = toy_problem(name);
    problem.settings.algorithm.children = 20;
    problem.settings.algorithm.truncation = 5;
    problem.settings.algorithm.elite_candidates = 3;
    problem.settings.algorithm.elite_episodes = 7;
    problem.settings.algorithm.archive_probability = 0.1;
    problem.settings.es.sigma = 0.2;
    return problem;
}

}  // namespace

TEST_CASE("GA, NS and NSLC: children of the parents, all offered to the map")
{
    for (auto const* name : {"ga", "ns", "nslc"}) {
        INFO(name);
        auto const problem = small_population(name);
        bool const has_elite = problem.settings.algorithm.name == "ga";
        auto const algorithm = start(problem);
        FunctionEvaluator evaluator{problem, sphere};
        StopToken stop;
        while (!algorithm->finished()) {
            auto const before = algorithm->state();
            auto const batch = algorithm->ask();
            if (!batch.groups.front().offsets.empty()) {
                CHECK(batch.episodes() == 20 * 3);
                for (auto const& group : batch.groups) {
                    CHECK(std::ranges::any_of(before.emitters, [&](Emitter const& parent) {
                        return parent.theta == group.centre->parameters;
                    }));
                }
            }
            algorithm->tell(batch, *evaluator.evaluate(batch, stop), evaluator);
        }
        auto const& state = algorithm->state();
        CHECK(state.emitters.size() == 5);
        CHECK(state.history.back().episodes == 31 * (20 * 3 + (has_elite ? 3 * 7 : 0)));
        CHECK(state.archive_fitness.size()
              == (problem.settings.algorithm.name == "nslc"
                      ? static_cast<std::size_t>(state.archive.size())
                      : 0));
        std::int64_t inserted = 0;
        for (auto const& row : state.history) {
            inserted += row.inserted;
        }
        CHECK(inserted == state.map.insertions());
        for (auto const& [cell, elite] : state.map.elites()) {
            CHECK(elite.bc[0] == Approx(elite.controller->parameters[0]).epsilon(1e-12));
            CHECK(elite.novelty == state.archive.novelty(elite.bc, elite.archive_entry));
        }
    }
}

// Without noise the elite's new evaluation equals its old one, so that the best never falls.
TEST_CASE("GA's elite survives, and is replaced by a better one only")
{
    auto const problem = small_population("ga");
    auto const state = final_state(problem, [](auto theta, EpisodeSpec const&) {
        double fitness = 0;
        for (float const x : theta) {
            fitness -= (x - 1.0) * (x - 1.0);
        }
        return Point{fitness, {theta[0], theta[1]}};
    });
    CHECK(state.archive.size() == 31);
    for (std::size_t g = 1; g < state.history.size(); ++g) {
        CHECK(state.history[g].fitness >= state.history[g - 1].fitness);
    }
    CHECK(state.history.back().fitness > -0.5);
    CHECK(state.history.back().fitness == Approx(best_of(state)).epsilon(1e-12));
}

TEST_CASE("GA does not keep an elite that was only lucky")
{
    // Members draw their luck once; in the second batch all are equal but for their first
    // parameter.
    auto const problem = small_population("ga");
    auto const algorithm = start(problem);
    FunctionEvaluator evaluator{problem, [](auto theta, EpisodeSpec const& spec) {
                                    auto reset = spec.reset;
                                    bool const again = spec.group->repeats == 7;
                                    double const luck = again ? 0 : reset.uniform() * 100;
                                    return Point{theta[0] + luck, {theta[0], theta[1]}};
                                }};
    StopToken stop;
    auto const tell_one = [&] {
        auto const batch = algorithm->ask();
        algorithm->tell(batch, *evaluator.evaluate(batch, stop), evaluator);
        return batch;
    };
    tell_one();
    for (int generation = 0; generation < 5; ++generation) {
        auto const candidates = tell_one();
        REQUIRE(candidates.groups.size() == 3);
        auto const& elite = algorithm->state().emitters.front().theta;
        for (auto const& group : candidates.groups) {
            CHECK(elite[0] >= group.centre->parameters[0]);
        }
        CHECK(algorithm->state().history.back().fitness == Approx(elite[0]));
        tell_one();
    }
}

TEST_CASE("NS and NSLC spread further than GA, NSLC with better elites than NS")
{
    std::map<std::string, State> states;
    for (auto const* name : {"ga", "ns", "nslc"}) {
        states.emplace(name, final_state(small_population(name)));
    }
    CHECK(states.at("ns").map.filled() > states.at("ga").map.filled());
    CHECK(states.at("nslc").map.filled() > states.at("ga").map.filled());
    auto const mean = [](State const& state) {
        return qd_score(state.map, 0) / static_cast<double>(state.map.filled());
    };
    CHECK(mean(states.at("nslc")) > mean(states.at("ns")));
}
