#include "algorithms/function_evaluator.hpp"
#include "catch.hpp"

using namespace mees;
using namespace mees::test;

namespace {

SearchProblem small_cma(std::string const& name, double rate = 0.1)
{
    auto problem = toy_problem(name);
    problem.settings.algorithm.emitters = 3;
    problem.settings.algorithm.threshold_rate = rate;
    problem.settings.algorithm.threshold_floor = -30;
    problem.settings.es.population = 12;
    return problem;
}

}  // namespace

TEST_CASE("CMA-MAE offers every offspring, in one batch a generation")
{
    auto const problem = small_cma("cma-mae");
    auto const algorithm = start(problem);
    FunctionEvaluator evaluator{problem, sphere};
    run_to_end(*algorithm, evaluator);
    auto const& state = algorithm->state();
    CHECK(evaluator.batches == 31);
    CHECK(state.history.back().episodes == 3 + 30 * 3 * 12 * 3);
    CHECK(state.emitters.size() == 3);
    CHECK(state.archive.size() == 0);
    std::int64_t inserted = 0;
    for (auto const& row : state.history) {
        inserted += row.inserted;
    }
    CHECK(inserted == state.map.insertions());
    CHECK(state.thresholds.size() == static_cast<std::size_t>(state.map.filled()));
    for (auto const& [cell, elite] : state.map.elites()) {
        CHECK(elite.bc[0] == Approx(elite.controller->parameters[0]).epsilon(1e-12));
        CHECK(state.thresholds.at(cell) > -30);
        CHECK(state.thresholds.at(cell) <= elite.fitness);
    }
}

// With rate 0 improvement is fitness minus the floor, so that the ranks, and hence the step, are
// those of plain ES; cell by cell nothing is forgotten with rate 1.
TEST_CASE("rate 0 climbs like ES, another rate searches elsewhere, CMA-ME fills more cells")
{
    auto const longer = [](std::string const& name, double rate) {
        auto problem = small_cma(name, rate);
        problem.settings.run.generations = 100;
        return final_state(problem);
    };
    auto const climbed = longer("cma-mae", 0);
    CHECK(best_of(climbed) > -1);
    for (auto const& [cell, threshold] : climbed.thresholds) {
        CHECK(threshold == -30);
    }
    CHECK(fingerprint(longer("cma-mae", 0.5)) != fingerprint(climbed));
    auto const me = longer("cma-me", 1);
    CHECK(me.map.filled() > climbed.map.filled());
    for (auto const& [cell, elite] : me.map.elites()) {
        CHECK(me.thresholds.at(cell) == elite.fitness);
    }
}

// The step by hand: ranks of the improvements, pair weights, the mean over pairs, plain gradient
// ascent.
TEST_CASE("an emitter's step follows the ranks of the improvements")
{
    auto problem = small_cma("cma-mae");
    problem.settings.es.optimizer = OptimiserKind::sgd;
    problem.settings.algorithm.n_eval = 1;
    auto const algorithm = start(problem);
    FunctionEvaluator evaluator{problem, sphere};
    StopToken stop;
    auto batch = algorithm->ask();
    algorithm->tell(batch, *evaluator.evaluate(batch, stop), evaluator);
    auto const before = algorithm->state();
    batch = algorithm->ask();
    REQUIRE(batch.groups.size() == 3);
    auto const result = *evaluator.evaluate(batch, stop);
    algorithm->tell(batch, result, evaluator);
    for (std::size_t e = 0; e < 3; ++e) {
        std::vector<double> values;
        for (std::size_t i = 0; i < 12; ++i) {
            auto const episode = static_cast<std::int64_t>(12 * e + i);
            auto const cell = before.map.space().cell_of(result.bc(episode));
            auto const known = before.thresholds.find(cell);
            values.push_back(result.outcomes[static_cast<std::size_t>(episode)].fitness
                             - (known == before.thresholds.end() ? -30.0 : known->second));
        }
        Eigen::VectorXd step = Eigen::VectorXd::Zero(8);
        for (std::size_t pair = 0; pair < 6; ++pair) {
            double weight = 0;
            for (std::size_t side = 0; side < 2; ++side) {
                auto const own = values[2 * pair + side];
                auto const below = std::ranges::count_if(values, [&](double v) { return v < own; });
                double const rank = static_cast<double>(below) / 11.0 - 0.5;
                weight += side == 0 ? rank : -rank;
            }
            auto const offset = batch.groups[e].offsets[pair].value();
            for (Eigen::Index j = 0; j < 8; ++j) {
                step[j] +=
                    weight
                    * static_cast<double>(evaluator.values()[static_cast<std::size_t>(offset + j)])
                    / 6.0;
            }
        }
        for (Eigen::Index j = 0; j < 8; ++j) {
            CHECK(algorithm->state().emitters[e].theta[j]
                  == Approx(before.emitters[e].theta[j] + 0.05 * step[j]).epsilon(1e-4));
        }
    }
}

TEST_CASE("emitters restart: CMA-MAE where all offspring are equal, CMA-ME where none improves")
{
    auto const equal = [](auto /*theta*/, EpisodeSpec const&) { return Point{1, {0, 0}}; };
    auto const flat = final_state(small_cma("cma-mae"), equal);
    for (auto const& emitter : flat.emitters) {
        CHECK(emitter.steps == 0);
        CHECK(emitter.parent_cell.has_value());
    }
    auto const worse = [](auto theta, EpisodeSpec const& spec) {
        double const size = spec.group->offsets.empty() ? 0 : 1 + std::abs(theta[0]);
        return Point{-size, {0, 0}};
    };
    for (auto const& emitter : final_state(small_cma("cma-me"), worse).emitters) {
        CHECK(emitter.steps == 0);
        CHECK(emitter.parent_cell.has_value());
    }
    for (auto const& emitter : final_state(small_cma("cma-mae"), worse).emitters) {
        CHECK(emitter.steps == 30);
    }
}
