#include "algorithms/function_evaluator.hpp"
#include "catch.hpp"

#include <algorithm>
#include <array>
#include <set>

using namespace mees;
using namespace mees::test;

namespace {

/// A chain's BC is the sum of the first two parameters of its links, so that a chain of n links can
/// be n times as far from the origin; fitness grows with the distance.
Point sum_of_links(std::span<float const> theta, EpisodeSpec const& spec)
{
    std::array<double, 2> bc{theta[0], theta[1]};
    for (auto const* link = spec.group->centre->before.get(); link != nullptr;
         link = link->before.get()) {
        bc[0] += static_cast<double>(link->parameters[0]);
        bc[1] += static_cast<double>(link->parameters[1]);
    }
    return {bc[0] + bc[1], {bc[0], bc[1]}};
}

SearchProblem chain_problem(std::string const& name = "me-es")
{
    auto problem = toy_problem(name);
    problem.settings.algorithm.chain_links = 3;
    problem.settings.algorithm.n_optim_gens = 2;
    problem.settings.algorithm.emitter_patience = 1;
    problem.settings.algorithm.emitters = 3;
    problem.settings.run.generations = 40;
    return problem;
}

std::int64_t longest(State const& state)
{
    std::int64_t links = 0;
    for (auto const& [cell, elite] : state.map.elites()) {
        links = std::max(links, links_of(elite.controller));
    }
    return links;
}

/// The search of `problem` until its map has an elite; asks for the offspring of the next cycle.
std::unique_ptr<Algorithm> after_first_evaluation(SearchProblem const& problem)
{
    auto algorithm = start(problem);
    FunctionEvaluator evaluator{problem, sum_of_links};
    StopToken stop;
    auto const batch = algorithm->ask();
    algorithm->tell(batch, *evaluator.evaluate(batch, stop), evaluator);
    return algorithm;
}

}  // namespace

TEST_CASE("chains grow to chain_links and not beyond, in every mode")
{
    for (auto const mode :
         {SearchMode::explore, SearchMode::exploit, SearchMode::explore_exploit}) {
        auto problem = chain_problem();
        problem.settings.algorithm.mode = mode;
        INFO(name_of(mode));
        CHECK(longest(final_state(problem, sum_of_links)) == 3);
    }
    CHECK(longest(final_state(chain_problem("memes"), sum_of_links)) == 3);
}

TEST_CASE("without chains, or with probability 0, there are single controllers")
{
    auto problem = chain_problem();
    problem.settings.algorithm.chain_append = 0;
    auto const never = fingerprint(final_state(problem, sum_of_links));
    CHECK(longest(final_state(problem, sum_of_links)) == 1);
    problem.settings.algorithm.chain_links = 1;
    problem.settings.algorithm.chain_append = 1;
    CHECK(fingerprint(final_state(problem, sum_of_links)) == never);
}

TEST_CASE("an appended link follows the elite itself and starts as chain_start says")
{
    auto problem = chain_problem();
    problem.settings.algorithm.chain_append = 1;
    for (auto const from : {ChainStart::copy, ChainStart::elite, ChainStart::initial}) {
        problem.settings.algorithm.chain_start = from;
        auto const algorithm = after_first_evaluation(problem);
        auto const& elite = algorithm->state().map.elites().begin()->second;
        auto const batch = algorithm->ask();
        REQUIRE(batch.groups.size() == 1);
        auto const& centre = *batch.groups[0].centre;
        CHECK(centre.before == elite.controller);  // shared, not copied
        // The map has one elite, which is the initial controller.
        CHECK(centre.parameters == elite.controller->parameters);
        CHECK(elite.controller->parameters == initial_parameters(problem, 0));
    }
    SECTION("later, the three starts differ")
    {
        std::set<std::uint64_t> results;
        for (auto const from : {ChainStart::copy, ChainStart::elite, ChainStart::initial}) {
            problem.settings.algorithm.chain_start = from;
            results.insert(fingerprint(final_state(problem, sum_of_links)));
        }
        CHECK(results.size() == 3);
    }
}

TEST_CASE("the ES moves the last link only, and earlier links are shared")
{
    auto problem = chain_problem();
    problem.settings.algorithm.chain_append = 1;
    auto const algorithm = after_first_evaluation(problem);
    auto const before = algorithm->state().map.elites().begin()->second.controller;
    FunctionEvaluator evaluator{problem, sum_of_links};
    StopToken stop;
    // Two generations are a cycle: one link, evaluated after each step.
    for (int tell = 0; tell < 3; ++tell) {
        auto const batch = algorithm->ask();
        for (auto const& group : batch.groups) {
            CHECK(group.centre->before == before);
        }
        algorithm->tell(batch, *evaluator.evaluate(batch, stop), evaluator);
        CHECK(algorithm->state().emitters.front().before == before);
    }
    CHECK(algorithm->state().emitters.front().theta != before->parameters);
    CHECK(algorithm->state().emitters.front().optimiser.steps == 2);
}

TEST_CASE("confirmed offspring keep the earlier links")
{
    auto problem = chain_problem();
    problem.settings.algorithm.chain_append = 1;
    problem.settings.algorithm.confirm_offspring = 2;
    auto const algorithm = after_first_evaluation(problem);
    auto const before = algorithm->state().map.elites().begin()->second.controller;
    FunctionEvaluator evaluator{problem, sum_of_links};
    StopToken stop;
    auto const batch = algorithm->ask();
    algorithm->tell(batch, *evaluator.evaluate(batch, stop), evaluator);
    REQUIRE_FALSE(algorithm->state().candidates.empty());
    for (auto const& candidate : algorithm->state().candidates) {
        CHECK(candidate.controller->before == before);
    }
}

TEST_CASE("chains reach behaviours that single controllers do not")
{
    // A link cannot leave [-0.4, 0.4] in x or y, so that a single one reaches 0.8 in fitness, and
    // three reach 2.4.
    auto const bounded = [](std::span<float const> theta, EpisodeSpec const& spec) {
        auto const clamped = [](float value) { return std::clamp<double>(value, -0.4, 0.4); };
        std::array<double, 2> bc{clamped(theta[0]), clamped(theta[1])};
        for (auto const* link = spec.group->centre->before.get(); link != nullptr;
             link = link->before.get()) {
            bc[0] += clamped(link->parameters[0]);
            bc[1] += clamped(link->parameters[1]);
        }
        return Point{bc[0] + bc[1], {bc[0], bc[1]}};
    };
    auto problem = chain_problem();
    problem.settings.algorithm.n_optim_gens = 5;
    problem.settings.run.generations = 100;
    CHECK(best_of(final_state(problem, bounded)) > 1.2);
    problem.settings.algorithm.chain_links = 1;
    CHECK(best_of(final_state(problem, bounded)) <= 0.8 + 1e-6);
}
