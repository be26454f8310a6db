#include "algorithms/function_evaluator.hpp"
#include "catch.hpp"

#include <cmath>

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

namespace {

/// What the pairs are weighed by: the rank of each value without ties, or the value over the
/// standard deviation of those in `used`.
std::vector<double> utilities(std::vector<double> const& values, Utility utility,
                              std::vector<std::size_t> const& used)
{
    std::vector<double> result;
    for (double const own : values) {
        auto const below = std::ranges::count_if(values, [own](double v) { return v < own; });
        result.push_back(static_cast<double>(below) / 11.0 - 0.5);
    }
    if (utility == Utility::standardised) {
        double sum = 0;
        double squares = 0;
        for (auto const pair : used) {
            sum += values[2 * pair] + values[2 * pair + 1];
            squares += std::pow(values[2 * pair], 2) + std::pow(values[2 * pair + 1], 2);
        }
        auto const count = 2 * static_cast<double>(used.size());
        double const deviation = std::sqrt(squares / count - std::pow(sum / count, 2));
        std::ranges::transform(values, result.begin(), [&](double v) { return v / deviation; });
    }
    return result;
}

/// The `count` of six pairs whose better value is highest.
std::vector<std::size_t> best_of_six(std::vector<double> const& values, std::size_t count)
{
    std::vector<std::size_t> pairs{0, 1, 2, 3, 4, 5};
    std::ranges::sort(pairs, [&](auto a, auto b) {
        return std::max(values[2 * a], values[2 * a + 1])
               > std::max(values[2 * b], values[2 * b + 1]);
    });
    pairs.resize(count);
    return pairs;
}

/// The step by hand: utilities of the improvements, pair weights, the mean over the pairs used,
/// plain gradient ascent.
void check_step(Utility utility, double fraction, std::size_t pairs)
{
    auto problem = small_cma("cma-mae");
    problem.settings.es.optimizer = OptimiserKind::sgd;
    problem.settings.es.utility = utility;
    problem.settings.es.direction_fraction = fraction;
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
        auto const used = best_of_six(values, pairs);
        auto const weighed = utilities(values, utility, used);
        Eigen::VectorXd step = Eigen::VectorXd::Zero(8);
        for (auto const pair : used) {
            auto const offset = batch.groups[e].offsets[pair].value();
            for (Eigen::Index j = 0; j < 8; ++j) {
                step[j] +=
                    (weighed[2 * pair] - weighed[2 * pair + 1])
                    * static_cast<double>(evaluator.values()[static_cast<std::size_t>(offset + j)])
                    / static_cast<double>(pairs);
            }
        }
        for (Eigen::Index j = 0; j < 8; ++j) {
            CHECK(algorithm->state().emitters[e].theta[j]
                  == Approx(before.emitters[e].theta[j] + 0.05 * step[j]).epsilon(1e-4));
        }
    }
}

}  // namespace

TEST_CASE("an emitter's step follows the ranks of the improvements")
{
    check_step(Utility::ranks, 1, 6);
}

TEST_CASE("an emitter's step follows the best pairs, and the improvements themselves")
{
    check_step(Utility::ranks, 0.3, 2);  // 1.8 pairs of six
    check_step(Utility::standardised, 1, 6);
    check_step(Utility::standardised, 0.3, 2);
}

// Of CMA-ME only the order is known.
TEST_CASE("CMA-ME weighs ranks, whatever es.utility says")
{
    auto problem = small_cma("cma-me");
    auto const ranked = fingerprint(final_state(problem));
    problem.settings.es.utility = Utility::standardised;
    CHECK(fingerprint(final_state(problem)) == ranked);
    problem.settings.es.direction_fraction = 0.5;
    CHECK(fingerprint(final_state(problem)) != ranked);
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

// Parameters of about 1 that float32 stores in steps of 6e-8: a learning rate of 1e-10 leaves them
// as they are, one of 1e-3 does not.
TEST_CASE("an emitter whose step is shorter than 1e-9 of its length restarts")
{
    auto const last = [](double learning_rate) {
        auto problem = small_cma("cma-mae");
        problem.settings.es.optimizer = OptimiserKind::sgd;
        problem.settings.es.learning_rate = learning_rate;
        return final_state(problem).emitters;
    };
    for (auto const& emitter : last(1e-10)) {
        CHECK(emitter.steps == 0);
        CHECK(emitter.parent_cell.has_value());
    }
    for (auto const& emitter : last(1e-3)) {
        CHECK(emitter.steps == 30);
        CHECK_FALSE(emitter.parent_cell.has_value());
    }
}

namespace {

/// A batch's results where both of a pair have the same BC and fitness, better than any before and
/// different from pair to pair.
BatchResult tied_pairs(Batch const& batch)
{
    BatchResult result{batch.episodes(), 2};
    for (std::int64_t i = 0; i < batch.episodes(); ++i) {
        auto const pair = episode_of(batch, i).member / 2;
        result.outcomes[static_cast<std::size_t>(i)] = {1000 + static_cast<double>(pair), 1};
    }
    return result;
}

}  // namespace

TEST_CASE("an emitter whose pairs all tie stays where it is, in spite of momentum and l2")
{
    for (auto const* name : {"cma-mae", "cma-me"}) {
        INFO(name);
        auto problem = small_cma(name);
        problem.settings.es.l2 = 0.1;
        auto const algorithm = start(problem);
        FunctionEvaluator evaluator{problem, sphere};
        StopToken stop;
        for (int i = 0; i < 3; ++i) {
            auto const batch = algorithm->ask();
            algorithm->tell(batch, *evaluator.evaluate(batch, stop), evaluator);
        }
        auto const before = algorithm->state().emitters;
        auto const batch = algorithm->ask();
        algorithm->tell(batch, tied_pairs(batch), evaluator);
        for (std::size_t e = 0; e < before.size(); ++e) {
            auto const& after = algorithm->state().emitters[e];
            CHECK(after.theta == before[e].theta);
            CHECK(after.optimiser.first_moment == before[e].optimiser.first_moment);
            CHECK(after.optimiser.steps == before[e].optimiser.steps);
            CHECK(after.steps == before[e].steps + 1);
        }
    }
}

namespace {

SearchProblem separable_cma(std::string const& name)
{
    auto problem = small_cma(name);
    problem.settings.algorithm.emitter_optimizer = EmitterOptimiser::sep_cma_es;
    return problem;
}

}  // namespace

// The new mean by hand: the better half of the offspring, by improvement, with weights
// log(mu + 1/2) - log(rank).
TEST_CASE("with sep-CMA-ES an emitter moves to the weighted mean of its best offspring")
{
    auto problem = separable_cma("cma-mae");
    problem.settings.algorithm.n_eval = 1;
    auto const algorithm = start(problem);
    FunctionEvaluator evaluator{problem, sphere};
    StopToken stop;
    for (int i = 0; i < 4; ++i) {
        auto const batch = algorithm->ask();
        algorithm->tell(batch, *evaluator.evaluate(batch, stop), evaluator);
    }
    auto const before = algorithm->state();
    auto const batch = algorithm->ask();
    auto const result = *evaluator.evaluate(batch, stop);
    algorithm->tell(batch, result, evaluator);
    for (std::size_t e = 0; e < 3; ++e) {
        auto const& group = batch.groups.at(e);
        REQUIRE(group.members() == 12);
        REQUIRE(group.offsets.size() == 12);
        std::vector<std::pair<double, std::int64_t>> ranked;
        for (std::int64_t i = 0; i < 12; ++i) {
            auto const episode = static_cast<std::int64_t>(12 * e) + i;
            auto const cell = before.map.space().cell_of(result.bc(episode));
            auto const known = before.thresholds.find(cell);
            ranked.emplace_back(result.outcomes[static_cast<std::size_t>(episode)].fitness
                                    - (known == before.thresholds.end() ? -30.0 : known->second),
                                i);
        }
        std::ranges::sort(ranked, std::greater{});
        Eigen::VectorXf mean = Eigen::VectorXf::Zero(8);
        double sum = 0;
        for (int rank = 1; rank <= 6; ++rank) {
            double const weight = std::log(6.5) - std::log(rank);
            std::vector<float> parameters(8);
            perturb(group, ranked[static_cast<std::size_t>(rank - 1)].second, evaluator.values(),
                    parameters);
            mean += static_cast<float>(weight)
                    * Eigen::Map<Eigen::VectorXf const>{parameters.data(), 8};
            sum += weight;
        }
        auto const& emitter = algorithm->state().emitters[e];
        CHECK((emitter.theta - mean / static_cast<float>(sum)).norm() < 1e-5F);
        CHECK(emitter.cma.updates == 4);
        CHECK((emitter.cma.covariance.array() > 0).all());
        CHECK((emitter.cma.covariance - before.emitters[e].cma.covariance).norm() > 0);
    }
}

TEST_CASE("sep-CMA-ES climbs on the way that fitness alone ranks, and its sigma adapts")
{
    auto problem = separable_cma("cma-mae");
    problem.settings.algorithm.threshold_rate = 0;
    problem.settings.run.generations = 100;
    auto const state = final_state(problem);
    CHECK(best_of(state) > -0.2);
    for (auto const& emitter : state.emitters) {
        CHECK(emitter.cma.sigma != problem.settings.es.sigma);
    }
    auto improving = separable_cma("cma-me");
    improving.settings.run.generations = 100;
    CHECK(final_state(improving).map.filled() > state.map.filled());
}

TEST_CASE("with sep-CMA-ES keys of a gradient step and of pairs have no effect")
{
    auto const expected = fingerprint(final_state(separable_cma("cma-mae")));
    auto problem = separable_cma("cma-mae");
    auto& es = problem.settings.es;
    es.learning_rate = 0.5;
    es.learning_rate_decay = 0.9;
    es.learning_rate_limit = 0.01;
    es.l2 = 0.3;
    es.optimizer = OptimiserKind::sgd;
    es.divide_by_sigma = true;
    es.sigma_decay = 0.9;
    es.sigma_limit = 0.01;
    es.direction_fraction = 0.5;
    es.utility = Utility::standardised;
    es.seeds = SharedSeeds::pair;
    CHECK(fingerprint(final_state(problem)) == expected);
    es.seeds = SharedSeeds::generation;
    CHECK(fingerprint(final_state(problem)) != expected);
}

TEST_CASE("emitters with sep-CMA-ES restart with a new distribution")
{
    auto const equal = [](auto /*theta*/, EpisodeSpec const&) { return Point{1, {0, 0}}; };
    for (auto const& emitter : final_state(separable_cma("cma-mae"), equal).emitters) {
        CHECK(emitter.parent_cell.has_value());
        CHECK(emitter.steps == 0);
        CHECK(emitter.cma.updates == 0);
        CHECK(emitter.cma.sigma == 0.05);
    }
}
