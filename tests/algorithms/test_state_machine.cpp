#include "algorithms/function_evaluator.hpp"
#include "catch.hpp"
#include "mees/algorithms/es_search.hpp"

using namespace mees;
using namespace mees::test;

namespace {

std::vector<SearchProblem> every_algorithm()
{
    std::vector<SearchProblem> problems;
    for (auto const* name : {"me-es", "me-ga", "ns-es", "nsr-es", "nsra-es", "es", "memes", "ga",
                             "ns", "nslc", "cma-mae", "cma-me", "cma-mega"}) {
        auto problem = toy_problem(name);
        problem.settings.algorithm.children = 12;
        problem.settings.algorithm.emitters = 3;
        problem.settings.algorithm.truncation = 4;
        problem.settings.algorithm.threshold_rate = 0.1;
        problem.settings.algorithm.threshold_floor = -30;
        problem.settings.algorithm.novelty_window = 8;
        problem.settings.algorithm.elite_candidates = 3;
        problem.settings.algorithm.elite_episodes = 5;
        problem.settings.algorithm.archive_probability = 0.2;
        problem.settings.run.generations = 9;
        problems.push_back(problem);
    }
    for (auto const* name : {"cma-mae", "cma-me"}) {
        auto separable = toy_problem(name);
        separable.settings.algorithm.emitter_optimizer = EmitterOptimiser::sep_cma_es;
        separable.settings.algorithm.emitters = 3;
        separable.settings.algorithm.threshold_floor = -30;
        separable.settings.run.generations = 9;
        problems.push_back(separable);
    }
    auto several = problems.front();
    several.settings.algorithm.objectives = {Objective::only_fitness(),
                                             {.novelty = 0.5, .evolvability = 0.25},
                                             {.fitness = 0.1, .max_var = 1, .max_ent = 2}};
    several.settings.es.seeds = SharedSeeds::generation;
    problems.push_back(several);
    auto halved = problems[5];
    halved.settings.algorithm.starts = 5;
    halved.settings.algorithm.start_generations = 2;
    problems.push_back(halved);
    auto in_turn = problems[2];
    in_turn.settings.algorithm.parent_choice = ParentChoice::round_robin;
    problems.push_back(in_turn);
    for (auto const index : {0, 3, 5, 6}) {
        auto levers = problems[static_cast<std::size_t>(index)];
        levers.settings.algorithm.confirm_offspring = 3;
        levers.settings.algorithm.confirm_margin = 0.5;
        levers.settings.es.steps_per_generation = 100;
        levers.settings.es.optimizer_state = OptimiserMemory::inherit;
        levers.settings.es.optimizer = OptimiserKind::clipup;
        levers.settings.es.direction_fraction = 0.3;
        levers.settings.es.utility = Utility::standardised;
        levers.settings.es.episodes_per_offspring = 2;
        levers.settings.es.sigma_decay = 0.9;
        levers.settings.es.learning_rate_decay = 0.95;
        problems.push_back(levers);
    }
    for (auto const index : {0, 6, 12, 14}) {
        auto chains = problems[static_cast<std::size_t>(index)];
        chains.settings.algorithm.chain_links = 3;
        chains.settings.algorithm.n_optim_gens = 2;
        chains.settings.algorithm.emitter_patience = 1;
        problems.push_back(chains);
    }
    return problems;
}

bool same(Batch const& a, Batch const& b)
{
    if (a.seed != b.seed || a.groups.size() != b.groups.size()) {
        return false;
    }
    for (std::size_t i = 0; i < a.groups.size(); ++i) {
        auto const& x = a.groups[i];
        auto const& y = b.groups[i];
        if (x.centre->parameters != y.centre->parameters || x.offsets != y.offsets
            || x.generation != y.generation || x.episodes() != y.episodes()
            || x.coefficients != y.coefficients || !(x.centre->normaliser == y.centre->normaliser)
            || x.centre->before != y.centre->before) {
            return false;
        }
    }
    return true;
}

}  // namespace

TEST_CASE("asking twice gives the same batch and changes nothing")
{
    for (auto const& problem : every_algorithm()) {
        INFO(problem.settings.algorithm.name);
        auto const algorithm = start(problem);
        FunctionEvaluator evaluator{problem, sphere};
        StopToken stop;
        while (!algorithm->finished()) {
            auto const before = fingerprint(algorithm->state());
            auto const batch = algorithm->ask();
            REQUIRE(same(batch, algorithm->ask()));
            REQUIRE(fingerprint(algorithm->state()) == before);
            algorithm->tell(batch, *evaluator.evaluate(batch, stop), evaluator);
        }
    }
}

TEST_CASE("a search continues bit-identically from the state after any tell")
{
    for (auto const& problem : every_algorithm()) {
        INFO(problem.settings.algorithm.name);
        auto const expected = fingerprint(final_state(problem));
        auto const algorithm = start(problem);
        FunctionEvaluator evaluator{problem, sphere};
        StopToken stop;
        while (!algorithm->finished()) {
            auto const batch = algorithm->ask();
            algorithm->tell(batch, *evaluator.evaluate(batch, stop), evaluator);
            auto const resumed = resume(problem, algorithm->state());
            run_to_end(*resumed, evaluator);
            REQUIRE(fingerprint(resumed->state()) == expected);
        }
    }
}

TEST_CASE("a longer run begins with the shorter one")
{
    for (auto problem : every_algorithm()) {
        INFO(problem.settings.algorithm.name);
        problem.settings.run.generations = 5;
        auto shorter = final_state(problem);
        problem.settings.run.generations = 9;
        auto const resumed = resume(problem, shorter);
        FunctionEvaluator evaluator{problem, sphere};
        run_to_end(*resumed, evaluator);
        CHECK(fingerprint(resumed->state()) == fingerprint(final_state(problem)));
        CHECK(shorter.history.size() == 6);
        problem.settings.run.generations = 3;
        CHECK(resume(problem, shorter)->finished());
    }
}

TEST_CASE("evaluation that travels with the next offspring gives the bits of the strict order")
{
    for (auto const* name : {"me-es", "es"}) {
        auto problem = toy_problem(name);
        problem.settings.algorithm.starts = 4;  // only of es
        problem.settings.algorithm.start_generations = 7;
        auto const together = start(problem);
        auto const strict = start(problem);
        dynamic_cast<EsSearch&>(*strict).never_overlap();
        FunctionEvaluator one{problem, sphere};
        FunctionEvaluator other{problem, sphere};
        run_to_end(*together, one);
        run_to_end(*strict, other);
        CHECK(fingerprint(together->state()) == fingerprint(strict->state()));
        CHECK(other.batches == 1 + 2 * 30);
        CHECK(one.batches < 45);
    }
}

TEST_CASE("another seed gives another search")
{
    auto problem = toy_problem();
    auto const first = fingerprint(final_state(problem));
    problem.settings.run.seed = 2;
    CHECK(fingerprint(final_state(problem)) != first);
}
