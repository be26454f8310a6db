#include "algorithms/given_outcomes.hpp"

#include <cmath>

using namespace mees;
using namespace mees::test;

// Two generations of six members and two episodes each, whose outcomes are given. Outcomes and
// expected values: numpy 1.24 (default_rng(682), rounded to 0.1) and plain Python from the
// definitions: sorted distances to all others, counts of the less fit among the three nearest,
// fronts by removing what nothing dominates, and crowding distances within each front.

namespace {

SearchProblem six_novel_children(std::string const& name)
{
    auto problem = toy_problem(name);
    auto& settings = problem.settings.algorithm;
    settings.children = 6;
    settings.truncation = 3;
    settings.n_eval = 2;
    settings.novelty_k = 3;
    settings.archive_probability = 1;
    problem.settings.policy.normalise_observations = false;
    return problem;
}

struct GivenGeneration {
    Outcomes fitness;
    Outcomes bcs;
    std::vector<double> novelties;
};

// Means 0.4, -0.2, -1.95, 0.85, -1.9, -1.05; local competition 2, 1, 0, 3, 0, 1.
GivenGeneration const first_generation{
    {-0.8, 1.6, -4.7, 4.3, -0.9, -3.0, 3.0, -1.3, -0.8, -3.0, -2.0, -0.1},
    {-0.1, -1.6, -1.7, 0.7,  -0.4, -1.1, 0.5, -0.4, -1.8, -0.6, -1.9, 0.2,
     0.6,  1.5,  0.5,  -0.3, 1.2,  0.1,  1.3, 0.2,  -0.3, 1.8,  0.7,  1.0},
    {1.2562794854916015, 1.3119536490491202, 1.8300567692797924, 1.048332104524036,
     1.321549540195371, 1.5526731855210627}};
// Means 0.6, -1.35, 4.85, 2.7, 1.85, -0.45; local competition 2, 0, 3, 3, 2, 1.
GivenGeneration const second_generation{
    {4.1, -2.9, 1.6, -4.3, 4.8, 4.9, 4.4, 1.0, 2.9, 0.8, 1.9, -2.8},
    {-1.5, 0.7,  0.3,  1.0, 0.0,  1.1,  -1.4, 1.2, -0.5, -1.3, 1.9, -0.1,
     -0.3, -0.2, -1.9, 1.2, -0.1, -0.6, 1.5,  0.1, 1.7,  -0.6, 0.0, -0.5},
    {0.6324599795836342, 0.6711739089179983, 0.438017424958743, 0.7814563496192507,
     0.48849457402058033, 0.45125600193692933}};

/// The parents that a generation leaves are these members of it.
void check_generation(Algorithm& algorithm, FunctionEvaluator& evaluator,
                      GivenGeneration const& told, std::vector<std::int64_t> const& parents)
{
    auto const batch = tell(algorithm, evaluator, told.fitness, told.bcs);
    auto const& emitters = algorithm.state().emitters;
    REQUIRE(emitters.size() == parents.size());
    for (std::size_t i = 0; i < parents.size(); ++i) {
        auto const member = static_cast<std::size_t>(parents[i]);
        CHECK((emitters[i].theta - member_of(batch, parents[i], evaluator.values())).norm()
              < 1e-6F);
        CHECK(emitters[i].novelty == Approx(told.novelties[member]).epsilon(1e-12));
        CHECK(emitters[i].bc[0] == Approx((told.bcs[4 * member] + told.bcs[4 * member + 2]) / 2));
    }
}

/// What both searches leave: every child in the archive, and the fittest of each cell.
void check_map_and_archive(State const& state)
{
    CHECK(state.archive.size() == 12);
    CHECK(state.archive.entry(6)[0] == Approx(-0.6));
    CHECK(state.archive.entry(6)[1] == Approx(0.85));
    CHECK(state.history.back().fitness == Approx(4.85));
    CHECK(state.history.back().fitness_std == Approx(std::sqrt(0.005)));
    CHECK(state.history.back().novelty == Approx(0.438017424958743));
    CHECK(state.history.back().episodes == 2 * 6 * 2);
    CHECK(state.map.filled() == 11);
    CHECK(qd_score(state.map, 0) == Approx(5.7));
    CHECK(best_of(state) == Approx(4.85));
    // Cells 0, 4 and 8, 5: the members 2 and 4 of the first generation, against the whole archive.
    CHECK(state.map.find(CellId{4})->novelty == Approx(1.2135803777950118));
    CHECK(state.map.find(CellId{85})->novelty == Approx(0.7728217163737631));
}

}  // namespace

TEST_CASE("a worked generation of NS: the most novel are the parents")
{
    auto const problem = six_novel_children("ns");
    auto const algorithm = start(problem);
    FunctionEvaluator evaluator{problem, sphere};
    check_generation(*algorithm, evaluator, first_generation, {2, 5, 4});
    check_generation(*algorithm, evaluator, second_generation, {3, 1, 0});
    check_map_and_archive(algorithm->state());
}

TEST_CASE("a worked generation of NSLC: fronts of novelty and local competition, then crowding")
{
    auto const problem = six_novel_children("nslc");
    auto const algorithm = start(problem);
    FunctionEvaluator evaluator{problem, sphere};
    // Front 0, 2, 3, 5: member 0 is the most crowded. Then fronts 3 and 0, 1, 2.
    check_generation(*algorithm, evaluator, first_generation, {2, 3, 5});
    CHECK(algorithm->state().archive_fitness.size() == 6);
    CHECK(algorithm->state().archive_fitness[3] == Approx(0.85));
    check_generation(*algorithm, evaluator, second_generation, {3, 1, 2});
    check_map_and_archive(algorithm->state());
}
