#include "algorithms/function_evaluator.hpp"
#include "catch.hpp"

#include <algorithm>
#include <numeric>

using namespace mees;
using namespace mees::test;

namespace {

/// Five starts, of which half end after every two generations.
SearchProblem five_starts()
{
    auto problem = toy_problem("es");
    problem.settings.algorithm.starts = 5;
    problem.settings.algorithm.start_generations = 2;
    return problem;
}

State after(SearchProblem problem, std::int64_t generations,
            FunctionEvaluator::Function const& function)
{
    problem.settings.run.generations = generations;
    return final_state(problem, function);
}

double sum_of(std::span<float const> theta)
{
    return std::accumulate(theta.begin(), theta.end(), 0.0);
}

}  // namespace

// Steps that are too small to matter: all starts keep nearly their initial parameters, and which of
// them must continue is known from these alone.
TEST_CASE("the fitter half of several starts continues until one is left")
{
    auto problem = five_starts();
    problem.settings.es.learning_rate = 1e-12;
    auto const total = [](std::span<float const> theta, EpisodeSpec const&) {
        return Point{sum_of(theta), {0, 0}};
    };
    std::vector<Eigen::VectorXf> initial;
    std::vector<std::size_t> fittest_first;
    for (std::int64_t i = 0; i < 5; ++i) {
        initial.push_back(initial_parameters(problem, i));
        fittest_first.push_back(static_cast<std::size_t>(i));
    }
    std::ranges::sort(fittest_first, std::greater{}, [&](auto i) {
        return sum_of({initial[i].data(), static_cast<std::size_t>(initial[i].size())});
    });
    auto const starts_after = [&](std::int64_t generations) {
        std::vector<std::size_t> starts;
        for (auto const& emitter : after(problem, generations, total).emitters) {
            auto const start = std::ranges::find_if(
                initial, [&](auto const& theta) { return emitter.theta.isApprox(theta); });
            starts.push_back(static_cast<std::size_t>(start - initial.begin()));
        }
        return starts;
    };
    auto const fittest = [&](std::ptrdiff_t count) {
        std::vector<std::size_t> starts{fittest_first.begin(), fittest_first.begin() + count};
        std::ranges::sort(starts);
        return starts;
    };
    CHECK(starts_after(1) == fittest(5));
    CHECK(starts_after(2) == fittest(3));
    CHECK(starts_after(3) == fittest(3));
    CHECK(starts_after(4) == fittest(2));
    CHECK(starts_after(6) == fittest(1));
    CHECK(starts_after(8) == fittest(1));
}

// Generations 1 and 2 have five starts, 3 and 4 three, 5 and 6 two, all others one; each has 40
// offspring of one episode and 3 of theta.
TEST_CASE("the episodes of several starts")
{
    auto const problem = five_starts();
    auto const state = after(problem, 9, sphere);
    CHECK(state.history.back().episodes == 5 * 3 + (2 * 5 + 2 * 3 + 2 * 2 + 3) * 43);
    CHECK(state.emitters.front().optimiser.steps == 9);
    CHECK(best_of(state) > best_of(after(problem, 0, sphere)));
}

TEST_CASE("one start is never halved")
{
    auto problem = toy_problem("es");
    auto const plain = fingerprint(after(problem, 8, sphere));
    problem.settings.algorithm.start_generations = 1;
    CHECK(fingerprint(after(problem, 8, sphere)) == plain);
}
