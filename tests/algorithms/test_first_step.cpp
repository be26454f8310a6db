#include "algorithms/function_evaluator.hpp"
#include "catch.hpp"

#include <algorithm>
#include <cmath>

using namespace mees;
using namespace mees::test;

namespace {

/// Weights of fitness and novelty.
struct Weights {
    double fitness;
    double novelty;
};

/// The rank of each value without ties: the share of the others below it, minus one half.
std::vector<double> ranks_by_counting(std::vector<double> const& values)
{
    std::vector<double> ranks;
    for (double const own : values) {
        auto const below = std::ranges::count_if(values, [own](double v) { return v < own; });
        ranks.push_back(static_cast<double>(below) / static_cast<double>(values.size() - 1) - 0.5);
    }
    return ranks;
}

/// Mean distance to all entries of the archive, which has fewer than k.
double distance_to_all(std::span<double const> bc, NoveltyArchive const& archive)
{
    double sum = 0;
    for (std::int64_t i = 0; i < archive.size(); ++i) {
        sum += std::hypot(bc[0] - archive.entry(i)[0], bc[1] - archive.entry(i)[1]);
    }
    return sum / static_cast<double>(archive.size());
}

/// Compares the first step of each emitter with ES as the page on algorithms writes it, in double:
/// theta + lr (1/pairs sum (r+ - r-) eps - l2 theta).
void check_first_step(SearchProblem problem, std::vector<Weights> const& emitters)
{
    problem.settings.es.optimizer = OptimiserKind::sgd;
    problem.settings.es.l2 = 0.1;
    auto const algorithm = start(problem);
    FunctionEvaluator evaluator{problem, sphere};
    StopToken stop;
    auto batch = algorithm->ask();
    algorithm->tell(batch, *evaluator.evaluate(batch, stop), evaluator);
    auto const before = algorithm->state();
    batch = algorithm->ask();
    REQUIRE(batch.groups.size() == emitters.size());
    auto const result = *evaluator.evaluate(batch, stop);
    algorithm->tell(batch, result, evaluator);
    for (std::size_t e = 0; e < emitters.size(); ++e) {
        std::vector<double> fitness;
        std::vector<double> novelty;
        for (std::int64_t i = 0; i < 40; ++i) {
            auto const episode = static_cast<std::int64_t>(40 * e) + i;
            fitness.push_back(result.outcomes[static_cast<std::size_t>(episode)].fitness);
            novelty.push_back(distance_to_all(result.bc(episode), before.archive));
        }
        auto const by_fitness = ranks_by_counting(fitness);
        auto const by_novelty = ranks_by_counting(novelty);
        auto const utility = [&](std::size_t member) {
            return emitters[e].fitness * by_fitness[member]
                   + emitters[e].novelty * by_novelty[member];
        };
        auto const& theta = batch.groups[e].centre->parameters;
        for (Eigen::Index j = 0; j < 8; ++j) {
            double gradient = 0;
            for (std::size_t pair = 0; pair < 20; ++pair) {
                auto const at = batch.groups[e].offsets[pair].value() + j;
                gradient += (utility(2 * pair) - utility(2 * pair + 1))
                            * static_cast<double>(evaluator.values()[static_cast<std::size_t>(at)])
                            / 20;
            }
            CHECK(algorithm->state().emitters[e].theta[j]
                  == Approx(theta[j] + 0.05 * (gradient - 0.1 * theta[j])).epsilon(1e-4));
        }
    }
}

}  // namespace

TEST_CASE("the first step of every ES algorithm, computed by its formula")
{
    auto const with = [](std::string const& name, SearchMode mode) {
        auto problem = toy_problem(name);
        problem.settings.algorithm.parents = 1;
        problem.settings.algorithm.emitters = 2;
        problem.settings.algorithm.nsra_weight = 0.8;
        problem.settings.algorithm.mode = mode;
        return problem;
    };
    check_first_step(with("es", SearchMode::explore), {{1, 0}});
    check_first_step(with("me-es", SearchMode::exploit), {{1, 0}});
    check_first_step(with("me-es", SearchMode::explore), {{0, 1}});
    check_first_step(with("ns-es", SearchMode::exploit), {{0, 1}});
    check_first_step(with("nsr-es", SearchMode::exploit), {{0.5, 0.5}});
    check_first_step(with("nsra-es", SearchMode::exploit), {{0.8, 0.2}});
    check_first_step(with("memes", SearchMode::exploit), {{0, 1}, {1, 0}});
    auto sum = with("me-es", SearchMode::exploit);
    sum.settings.algorithm.objectives = {{.fitness = 0.3, .novelty = 2}};
    check_first_step(sum, {{0.3, 2}});
}
