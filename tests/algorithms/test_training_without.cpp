#include "algorithms/function_evaluator.hpp"
#include "catch.hpp"

using namespace mees;
using namespace mees::test;

namespace {

/// The half of the squared distance to (1, 1, ...) that the first four parameters have.
double first_half(std::span<float const> theta)
{
    double sum = 0;
    for (float const x : theta.first(4)) {
        sum -= (x - 1.0) * (x - 1.0);
    }
    return sum;
}

bool is_training(EpisodeSpec const& spec)
{
    return spec.group->kind == EpisodeKind::training;
}

/// The sphere whose training leaves out that half.
Point leaving_out(std::span<float const> theta, EpisodeSpec const& spec)
{
    auto point = sphere(theta, spec);
    point.left_out = is_training(spec) ? first_half(theta) : 0;
    return point;
}

/// The same objective, without anything to leave out: another fitness in training episodes.
Point another_fitness(std::span<float const> theta, EpisodeSpec const& spec)
{
    auto point = sphere(theta, spec);
    point.fitness -= is_training(spec) ? first_half(theta) : 0;
    return point;
}

SearchProblem exploiting(std::string const& name)
{
    auto problem = toy_problem(name);
    problem.settings.algorithm.mode = SearchMode::exploit;
    problem.settings.algorithm.parents = 2;
    problem.settings.algorithm.emitters = 2;
    problem.settings.algorithm.children = 6;
    // Observations hold the fitness, which differs.
    problem.settings.policy.normalise_observations = false;
    return problem;
}

}  // namespace

TEST_CASE("training optimises the fitness without what it leaves out")
{
    for (auto const* name : {"es", "me-es", "nsr-es", "nsra-es", "memes", "cma-mega"}) {
        INFO(name);
        auto const problem = exploiting(name);
        auto const found = final_state(problem, leaving_out);
        CHECK(fingerprint(found) == fingerprint(final_state(problem, another_fitness)));
        CHECK(fingerprint(found) != fingerprint(final_state(problem, sphere)));
    }
}

TEST_CASE("only the terms that are kept improve")
{
    auto problem = exploiting("es");
    problem.settings.run.generations = 200;
    auto const state = final_state(problem, leaving_out);
    auto const& theta = state.emitters.front().theta;
    auto const start = initial_state(problem).emitters.front().theta;
    CHECK((theta.tail(4) - Eigen::Vector4f::Ones()).norm() < 0.3F);
    CHECK((theta.head(4) - Eigen::Vector4f::Ones()).norm()
          > 0.5F * (start.head(4) - Eigen::Vector4f::Ones()).norm());
    // The map has the complete fitness.
    for (auto const& [cell, elite] : state.map.elites()) {
        double complete = 0;
        for (float const x : elite.controller->parameters) {
            complete -= (x - 1.0) * (x - 1.0);
        }
        CHECK(elite.fitness == Approx(complete).margin(0.01));
    }
}

// The objective is minus the first parameter: the gradient is minus the first unit vector.
TEST_CASE("the gradient of CMA-MEGA's fitness is that of the objective")
{
    auto problem = exploiting("cma-mega");
    problem.settings.es.population = 1000;
    auto const algorithm = start(problem);
    FunctionEvaluator evaluator{problem, [](auto theta, EpisodeSpec const& spec) {
                                    auto point = sphere(theta, spec);
                                    point.left_out =
                                        is_training(spec) ? point.fitness + double{theta[0]} : 0;
                                    return point;
                                }};
    StopToken stop;
    for (int i = 0; i < 2; ++i) {
        auto const batch = algorithm->ask();
        algorithm->tell(batch, *evaluator.evaluate(batch, stop), evaluator);
    }
    CHECK((*algorithm->ask().groups.at(1).basis.at(0))[0] < -0.95F);
}
