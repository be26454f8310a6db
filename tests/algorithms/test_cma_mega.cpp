#include "algorithms/function_evaluator.hpp"
#include "catch.hpp"

#include <cmath>
#include <numeric>

using namespace mees;
using namespace mees::test;

namespace {

constexpr std::int64_t child_count = 20;

SearchProblem small_mega()
{
    auto problem = toy_problem("cma-mega");
    problem.settings.algorithm.children = child_count;
    problem.settings.algorithm.coefficient_sigma = 0.3;
    return problem;
}

/// Evaluates the next batch.
std::pair<Batch, BatchResult> evaluate_next(Algorithm& algorithm, FunctionEvaluator& evaluator)
{
    StopToken stop;
    auto const batch = algorithm.ask();
    auto const result = *evaluator.evaluate(batch, stop);
    algorithm.tell(batch, result, evaluator);
    return {batch, result};
}

}  // namespace

TEST_CASE("a generation of CMA-MEGA samples, then measures theta and its children")
{
    auto const problem = small_mega();
    auto const algorithm = start(problem);
    FunctionEvaluator evaluator{problem, sphere};
    run_to_end(*algorithm, evaluator);
    auto const& state = algorithm->state();
    CHECK(evaluator.batches == 1 + 2 * 30);
    CHECK(state.history.size() == 31);
    CHECK(state.history.back().episodes == 3 + 30 * (40 + 3 * (1 + child_count)));
    CHECK(state.history.back().episodes
          == problem.initial_episodes() + 30 * problem.episodes_per_generation());
    CHECK(state.emitters.size() == 1);
    CHECK(state.archive.size() == 0);
    std::int64_t inserted = 0;
    for (auto const& row : state.history) {
        inserted += row.inserted;
    }
    CHECK(inserted == state.map.insertions());
    for (auto const& [cell, elite] : state.map.elites()) {
        CHECK(elite.bc[0] == Approx(elite.controller->parameters[0]).epsilon(1e-12));
        CHECK(state.thresholds.at(cell) == elite.fitness);
    }
}

// On the sphere the gradient of the fitness is 2 (1 - theta), those of the BC are unit vectors.
TEST_CASE("children lie along the gradients of fitness and BC, each of length 1")
{
    auto problem = small_mega();
    problem.settings.es.population = 1000;
    auto const algorithm = start(problem);
    FunctionEvaluator evaluator{problem, sphere};
    evaluate_next(*algorithm, evaluator);
    Eigen::VectorXf const theta = algorithm->state().emitters.front().theta;
    evaluate_next(*algorithm, evaluator);
    auto const group = algorithm->ask().groups.at(1);
    REQUIRE(group.basis.size() == 3);
    REQUIRE(group.members() == child_count);
    CHECK(group.centre->parameters == theta);
    Eigen::VectorXf const fitness = (Eigen::VectorXf::Ones(8) - theta).normalized();
    CHECK(group.basis[0]->dot(fitness) > 0.95F);
    for (auto const axis : {1, 2}) {
        CHECK((*group.basis[static_cast<std::size_t>(axis)])[axis - 1] > 0.95F);
    }
    for (auto const& gradient : group.basis) {
        CHECK(gradient->norm() == Approx(1).epsilon(1e-5));
    }
}

// The formula in double: of the eight pairs the two with the fittest members, each with the
// difference of its values, at length 1 (which leaves out any common factor).
TEST_CASE("the fittest pairs alone form all gradients of CMA-MEGA")
{
    auto problem = small_mega();
    problem.settings.es.population = 16;
    problem.settings.es.direction_fraction = 0.25;
    problem.settings.es.utility = Utility::standardised;
    auto const algorithm = start(problem);
    FunctionEvaluator evaluator{problem, sphere};
    evaluate_next(*algorithm, evaluator);
    auto const [batch, result] = evaluate_next(*algorithm, evaluator);
    auto const fitness = [&outcomes = result.outcomes](std::size_t member) {
        return outcomes[member].fitness;
    };
    std::vector<std::size_t> pairs{0, 1, 2, 3, 4, 5, 6, 7};
    std::ranges::sort(pairs, std::greater{}, [&](std::size_t pair) {
        return std::max(fitness(2 * pair), fitness(2 * pair + 1));
    });
    pairs.resize(2);
    auto const group = algorithm->ask().groups.at(1);
    for (std::size_t which = 0; which < 3; ++which) {
        auto const value = [&, &values = result](std::size_t member) {
            return which == 0 ? fitness(member)
                              : values.bc(static_cast<std::int64_t>(member))[which - 1];
        };
        Eigen::VectorXd gradient = Eigen::VectorXd::Zero(8);
        for (auto const pair : pairs) {
            auto const first = static_cast<std::size_t>(batch.groups[0].offsets[pair].value());
            for (std::size_t j = 0; j < 8; ++j) {
                gradient[static_cast<Eigen::Index>(j)] +=
                    (value(2 * pair) - value(2 * pair + 1))
                    * static_cast<double>(evaluator.values()[first + j]);
            }
        }
        CHECK((group.basis[which]->cast<double>() - gradient.normalized()).norm() < 1e-5);
    }
}

// The step by hand: discoveries first, then improvements, each by fitness or by its gain; weights
// log(mu + 1/2) - log(rank) of the better half; theta moves by the weighted mean of the children's
// steps, and the coefficients' mean is that of the coefficients.
TEST_CASE("theta moves by the weighted steps of the children that improve the map most")
{
    auto const problem = small_mega();
    auto const algorithm = start(problem);
    FunctionEvaluator evaluator{problem, sphere};
    for (int i = 0; i < 5; ++i) {
        evaluate_next(*algorithm, evaluator);
    }
    evaluate_next(*algorithm, evaluator);
    auto const before = algorithm->state();
    auto const [batch, result] = evaluate_next(*algorithm, evaluator);
    auto const& group = batch.groups.at(1);
    std::vector<std::array<double, 3>> keys;  // discovers, improves, by how much
    for (std::int64_t i = 0; i < child_count; ++i) {
        double fitness = 0;
        std::vector<double> bc{0, 0};
        for (auto episode = 3 * (1 + i); episode < 3 * (2 + i); ++episode) {
            fitness += result.outcomes[static_cast<std::size_t>(episode)].fitness / 3;
            bc[0] += result.bc(episode)[0] / 3;
            bc[1] += result.bc(episode)[1] / 3;
        }
        auto const* rival = before.map.find(before.map.space().cell_of(bc));
        double const gain = rival == nullptr ? fitness : fitness - rival->fitness;
        keys.push_back(
            {rival == nullptr ? 1.0 : 0.0, rival == nullptr || gain > 0 ? 1.0 : 0.0, gain});
    }
    std::vector<std::size_t> order(child_count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&](auto a, auto b) { return keys[a] > keys[b]; });
    Eigen::VectorXf theta = Eigen::VectorXf::Zero(8);
    Eigen::Vector3d mean{0, 0, 0};
    double sum = 0;
    for (int rank = 1; rank <= 10; ++rank) {
        double const weight = std::log(10.5) - std::log(rank);
        auto const child = order[static_cast<std::size_t>(rank - 1)];
        std::vector<float> parameters(8);
        perturb(group, static_cast<std::int64_t>(child), evaluator.values(), parameters);
        theta +=
            static_cast<float>(weight) * Eigen::Map<Eigen::VectorXf const>{parameters.data(), 8};
        for (std::size_t j = 0; j < 3; ++j) {
            mean[static_cast<int>(j)] +=
                weight * static_cast<double>(group.coefficients[3 * child + j]);
        }
        sum += weight;
    }
    auto const& emitter = algorithm->state().emitters.front();
    CHECK((emitter.theta - theta / static_cast<float>(sum)).norm() < 1e-5F);
    CHECK((emitter.cma.mean - mean / sum).norm() < 1e-6);
    CHECK(emitter.cma.updates == before.emitters.front().cma.updates + 1);
    CHECK(emitter.cma.sigma != before.emitters.front().cma.sigma);
}

TEST_CASE("CMA-MEGA restarts from the map when no child improves it")
{
    auto const worse = [](auto theta, EpisodeSpec const& spec) {
        double const size = spec.group->basis.empty() ? 0 : 1 + std::abs(theta[0]);
        return Point{-size, {0, 0}};
    };
    auto const state = final_state(small_mega(), worse);
    auto const& emitter = state.emitters.front();
    CHECK(emitter.steps == 0);
    CHECK(emitter.parent_cell.has_value());
    CHECK(emitter.cma.updates == 0);
    CHECK(emitter.cma.sigma == 0.3);
    CHECK(state.map.filled() == 1);
}

TEST_CASE("CMA-MEGA fills the map and climbs")
{
    auto problem = small_mega();
    problem.settings.run.generations = 60;
    auto const mega = final_state(problem);
    auto plain = toy_problem("es");
    plain.settings.run.generations = 60;
    CHECK(mega.map.filled() > 2 * final_state(plain).map.filled());
    CHECK(best_of(mega) > -1);
}
