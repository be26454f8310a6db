#include "algorithms/function_evaluator.hpp"
#include "catch.hpp"
#include "mees/es/perturbation.hpp"

#include <set>

using namespace mees;
using namespace mees::test;

namespace {

/// Asks, evaluates and tells once.
Batch advance(Algorithm& algorithm, FunctionEvaluator& evaluator)
{
    StopToken stop;
    auto batch = algorithm.ask();
    algorithm.tell(batch, *evaluator.evaluate(batch, stop), evaluator);
    return batch;
}

}  // namespace

TEST_CASE("offspring that all tie leave theta where it is")
{
    auto problem = toy_problem("es");
    problem.settings.es.l2 = 0.1;  // alone it would move theta
    problem.settings.run.generations = 3;
    auto const flat = [](std::span<float const>, EpisodeSpec const&) { return Point{1, {0, 0}}; };
    auto const state = final_state(problem, flat);
    CHECK(state.emitters[0].theta == initial_state(problem).emitters[0].theta);
    CHECK(state.emitters[0].optimiser.steps == 0);
    CHECK(state.emitters[0].steps == 3);
}

TEST_CASE("sigma decays with the steps since the controller was sampled")
{
    auto problem = toy_problem();
    problem.settings.run.generations = 9;
    problem.settings.es.sigma_decay = 0.5;
    problem.settings.es.sigma_limit = 0.01;  // from 0.05: 0.05, 0.025, 0.0125, 0.01
    auto const algorithm = start(problem);
    FunctionEvaluator evaluator{problem, sphere};
    std::vector<float> sigmas;
    while (!algorithm->finished()) {
        for (auto const& group : advance(*algorithm, evaluator).groups) {
            if (group.kind == EpisodeKind::training) {
                sigmas.push_back(group.sigma);
            }
        }
    }
    std::vector<float> const cycle{0.05F, 0.025F, 0.0125F, 0.01F};  // n_optim_gens is 4
    for (std::size_t i = 0; i < sigmas.size(); ++i) {
        CHECK(sigmas[i] == Approx(cycle[i % 4]));
    }
    CHECK(sigmas.size() == 9);
}

TEST_CASE("the learning rate decays to its limit")
{
    auto problem = toy_problem("es");
    problem.settings.es.optimizer = OptimiserKind::clipup;
    problem.settings.es.clipup_speed = 100;
    problem.settings.es.learning_rate_decay = 0.1;
    problem.settings.es.learning_rate_limit = 0.004;  // 0.05, 0.005, 0.004, 0.004
    problem.settings.run.generations = 4;
    auto const algorithm = start(problem);
    FunctionEvaluator evaluator{problem, sphere};
    Eigen::VectorXf velocity = Eigen::VectorXf::Zero(8);
    std::vector<float> lengths;
    auto theta = algorithm->state().emitters[0].theta;
    while (!algorithm->finished()) {
        static_cast<void>(advance(*algorithm, evaluator));
        auto const& emitter = algorithm->state().emitters[0];
        if (emitter.steps > std::ssize(lengths)) {
            Eigen::VectorXf const step = emitter.theta - theta;
            lengths.push_back((step - 0.9F * velocity).norm());  // what this gradient added
            velocity = step;
            theta = emitter.theta;
        }
    }
    REQUIRE(lengths.size() == 4);
    CHECK(lengths[0] == Approx(0.05).epsilon(1e-3));
    CHECK(lengths[1] == Approx(0.005).epsilon(1e-2));
    CHECK(lengths[2] == Approx(0.004).epsilon(1e-2));
    CHECK(lengths[3] == Approx(0.004).epsilon(1e-2));
}

TEST_CASE("an offspring runs as many episodes as the settings say")
{
    auto problem = toy_problem("es");
    problem.settings.es.episodes_per_offspring = 5;
    problem.settings.es.seeds = SharedSeeds::generation;
    problem.settings.run.generations = 2;
    auto const state = final_state(problem);
    CHECK(state.episodes == 3 + 2 * (40 * 5 + 3));
    // Five resets in all: the noise of `sphere` is the same for every offspring.
    std::set<std::uint64_t> resets;
    auto const counted = [&](std::span<float const> theta, EpisodeSpec const& spec) {
        if (spec.group->kind == EpisodeKind::training && spec.group->generation.value() == 1) {
            auto stream = spec.reset;
            resets.insert(stream.next());
        }
        return sphere(theta, spec);
    };
    static_cast<void>(final_state(problem, counted));
    CHECK(resets.size() == 5);
}

// Every toy episode has one step: 40 offspring make 40, so 100 steps take three populations.
TEST_CASE("populations are added until the generation has its steps")
{
    auto problem = toy_problem("es");
    problem.settings.es.steps_per_generation = 100;
    problem.settings.run.generations = 2;
    auto const algorithm = start(problem);
    FunctionEvaluator evaluator{problem, sphere};
    std::set<std::int64_t> offsets;
    std::int64_t offspring = 0;
    while (!algorithm->finished()) {
        for (auto const& group : advance(*algorithm, evaluator).groups) {
            if (group.kind == EpisodeKind::training) {
                offspring += group.members();
                for (auto const offset : group.offsets) {
                    offsets.insert(offset.value());
                }
            }
        }
    }
    CHECK(offspring == 2 * 120);
    CHECK(offsets.size() > 110);  // of 120 pairs: blocks draw noise of their own
    CHECK(algorithm->state().episodes == 3 + 2 * (120 + 3));
    CHECK(algorithm->state().history.size() == 3);
}

TEST_CASE("confirmed offspring enter the map with the figures of their own evaluation")
{
    auto problem = toy_problem("es");
    problem.settings.run.generations = 1;
    problem.settings.algorithm.confirm_offspring = 6;
    auto const algorithm = start(problem);
    FunctionEvaluator evaluator{problem, sphere};
    static_cast<void>(advance(*algorithm, evaluator));
    auto const parents = advance(*algorithm, evaluator);
    auto const& candidates = algorithm->state().candidates;
    REQUIRE(!candidates.empty());
    REQUIRE(candidates.size() <= 6);
    // Each is theta + sigma eps of one of the offspring.
    auto const& group = parents.groups.back();
    std::vector<float> theta(8);
    for (auto const& candidate : candidates) {
        bool found = false;
        for (std::int64_t member = 0; member < group.members(); ++member) {
            perturb(group, member, evaluator.values(), theta);
            found = found || std::ranges::equal(theta, candidate.controller->parameters);
        }
        CHECK(found);
    }
    auto const kept = candidates;
    auto const evaluation = advance(*algorithm, evaluator);
    CHECK(evaluation.groups.size() == 1 + kept.size());
    CHECK(evaluation.episodes() == 3 * std::ssize(evaluation.groups));
    auto const& state = algorithm->state();
    CHECK(state.candidates.empty());
    CHECK(state.archive.size() == 2);  // the archive has theta's BCs only
    std::int64_t from_candidates = 0;
    for (auto const& [cell, elite] : state.map.elites()) {
        for (auto const& candidate : kept) {
            from_candidates += candidate.controller == elite.controller ? 1 : 0;
        }
    }
    CHECK(from_candidates >= 1);
    CHECK(state.history.back().inserted >= from_candidates);
}

// Toy fitness without noise of its own: the episodes of a candidate differ by what this adds.
TEST_CASE("confirmed offspring are offered with a margin below their mean")
{
    auto const noisy = [](std::span<float const> theta, EpisodeSpec const& spec) {
        auto outcome = sphere(theta, spec);
        auto stream = spec.reset;
        outcome.fitness += stream.uniform();
        return outcome;
    };
    auto const offered = [&](double margin) {
        auto problem = toy_problem("es");
        problem.settings.run.generations = 1;
        problem.settings.algorithm.confirm_offspring = 6;
        problem.settings.algorithm.confirm_margin = margin;
        auto const algorithm = start(problem);
        FunctionEvaluator evaluator{problem, noisy};
        static_cast<void>(advance(*algorithm, evaluator));
        static_cast<void>(advance(*algorithm, evaluator));
        REQUIRE(algorithm->state().candidates.size() > 1);
        static_cast<void>(advance(*algorithm, evaluator));
        return algorithm->state().map;
    };
    auto const plain = offered(0);
    auto const cautious = offered(0.5);
    int lowered = 0;
    for (auto const& [cell, elite] : cautious.elites()) {
        for (auto const& [other, same] : plain.elites()) {
            if (same.controller->parameters == elite.controller->parameters && cell == other) {
                CHECK(elite.fitness_std == same.fitness_std);
                bool const is_mean = elite.fitness == same.fitness;  // theta, at generation 0 or 1
                bool const is_bound =
                    elite.fitness == Approx(same.fitness - 0.5 * same.fitness_std / std::sqrt(3.0));
                CHECK((is_mean || is_bound));
                lowered += is_bound && !is_mean ? 1 : 0;
            }
        }
    }
    CHECK(lowered >= 1);
}

TEST_CASE("confirmed offspring fill more cells")
{
    auto problem = toy_problem();
    problem.space = BehaviourSpace{{100, 100}, {-2, -2}, {2, 2}};  // cells as wide as 0.8 sigma
    auto const plain = final_state(problem);
    problem.settings.algorithm.confirm_offspring = 4;
    CHECK(final_state(problem).map.filled() >= 2 * plain.map.filled());
}

TEST_CASE("a cycle inherits the optimiser's state of the elite it starts from")
{
    auto problem = toy_problem();
    problem.settings.algorithm.mode = SearchMode::exploit;
    problem.settings.run.generations = 21;
    auto const reset = final_state(problem);
    for (auto const& [cell, elite] : reset.map.elites()) {
        CHECK(elite.optimiser == nullptr);
    }
    problem.settings.es.optimizer_state = OptimiserMemory::inherit;
    auto const inherited = final_state(problem);
    std::int64_t most = 0;
    for (auto const& [cell, elite] : inherited.map.elites()) {
        most = std::max(most, elite.optimiser->steps);
    }
    CHECK(most > problem.settings.algorithm.n_optim_gens);  // more than one cycle makes
}

TEST_CASE("the coin explores with the probability given")
{
    auto problem = toy_problem();
    problem.settings.algorithm.mode_schedule = ModeSchedule::coin;
    problem.settings.algorithm.n_optim_gens = 1;
    problem.settings.run.generations = 200;
    auto const explored = [&](double probability) {
        problem.settings.algorithm.explore_probability = probability;
        auto const state = final_state(problem);
        return std::ranges::count(state.history, Mode::explore, &GenerationRecord::mode);
    };
    CHECK(explored(0) == 0);
    CHECK(explored(1) == 200);
    // Binomial(200, 0.2): 40 +- 5 x 5.7.
    CHECK(std::abs(explored(0.2) - 40) < 29);
}

TEST_CASE("ES optimises a sphere")
{
    auto problem = toy_problem("es");
    problem.settings.run.generations = 60;
    auto const state = final_state(problem);
    // From -8 (all zeros) to the top within the noise that sigma leaves.
    CHECK(state.history.front().fitness < -7.5);
    CHECK(state.history.back().fitness > -0.05);
}

TEST_CASE("options of other algorithms change nothing")
{
    auto const base = toy_problem("me-es");
    auto problem = base;
    problem.settings.algorithm.children = 7;
    problem.settings.algorithm.parents = 3;
    problem.settings.algorithm.emitters = 2;
    problem.settings.algorithm.nsra_step = 0.3;
    problem.settings.algorithm.line_sigma = 9;
    CHECK(fingerprint(final_state(problem)) == fingerprint(final_state(base)));
}

TEST_CASE("dividing by sigma with Adam matters only through L2")
{
    auto problem = toy_problem("es");
    auto const plain = final_state(problem);
    problem.settings.es.divide_by_sigma = true;
    auto const divided = final_state(problem);
    CHECK(divided.history.back().fitness == Approx(plain.history.back().fitness).epsilon(1e-2));
}
