#include "catch.hpp"
#include "function_evaluator.hpp"
#include "mees/algorithms/cell_refiner.hpp"

#include <cmath>
#include <memory>

using namespace mees;
using test::FunctionEvaluator;
using test::Point;

namespace {

/// The BC is the first two parameters, and fitness the third.
Point plane(std::span<float const> theta, EpisodeSpec const& /*spec*/)
{
    return {theta[2], {theta[0], theta[1]}};
}

SearchProblemPtr shared(SearchProblem problem)
{
    problem.settings.algorithm.n_eval = 2;
    return std::make_shared<SearchProblem const>(std::move(problem));
}

/// A state whose map has controllers with these first parameters, measured exactly.
State state_with(SearchProblem const& problem, std::vector<std::vector<float>> const& starts)
{
    auto state = initial_state(problem);
    for (auto const& start : starts) {
        Eigen::VectorXf parameters = Eigen::VectorXf::Zero(problem.network.parameter_count());
        std::ranges::copy(start, parameters.begin());
        Controller controller{std::move(parameters),
                              Normaliser::identity(problem.network.inputs())};
        Elite elite;
        elite.fitness = start[2];
        elite.bc = {start[0], start[1]};
        elite.controller = std::make_shared<Controller const>(std::move(controller));
        static_cast<void>(state.map.insert(std::move(elite)));
    }
    state.history.push_back({});
    return state;
}

std::int64_t refine_to_end(CellRefiner& refiner, FunctionEvaluator& evaluator)
{
    StopToken stop;
    std::int64_t batches = 0;
    for (; !refiner.finished(); ++batches) {
        auto const batch = refiner.ask();
        refiner.tell(batch, *evaluator.evaluate(batch, stop), evaluator);
    }
    return batches;
}

/// The bits of everything that a refinement leaves behind.
std::uint64_t refined_fingerprint(CellRefiner const& refiner)
{
    return test::fingerprint(refiner.state());
}

// Of the toy problem's grid: 10 x 10 cells, 0.4 wide, from -2.
constexpr CellId cell_at_origin{55};  // 0..0.4 on both axes

}  // namespace

TEST_CASE("a target counts grid axes in widths of its cell")
{
    // Widths 0.5 and 2; cell 7 = bins (1, 3) has the centre (-1 + 1.5 * 0.5, 0 + 3.5 * 2).
    BehaviourSpace const space{{4, 4}, {-1, 0}, {1, 8}};
    TargetCell const target{space, CellId{7}};
    CHECK(target.centre() == std::vector<double>{-0.25, 7});
    CHECK(target.contains(std::vector{-0.5, 6.0}));
    CHECK_FALSE(target.contains(std::vector{0.0, 7.0}));  // the next bin begins at 0
    CHECK(target.contains(std::vector{-0.25, 100.0}));    // the border cell has no end
    CHECK(target.distance(std::vector{-0.25, 7.0}) == 0);
    CHECK(target.distance(std::vector{1.25, -1.0}) == 5);  // 3 widths and 4 widths
}

TEST_CASE("a target of a CVT is the Voronoi cell of its centroid")
{
    auto const space = BehaviourSpace::voronoi({0, 0, 3, 0, 0, 8}, {-5, -10}, {5, 10});
    TargetCell const target{space, CellId{1}};
    CHECK(target.centre() == std::vector<double>{3, 0});
    CHECK(target.contains(std::vector{1.6, 0.0}));
    CHECK_FALSE(target.contains(std::vector{1.4, 0.0}));
    CHECK(target.distance(std::vector{0.0, 8.0}) == Approx(0.5));  // (3 / 10, 8 / 20): 0.3, 0.4
}

TEST_CASE("offspring in the cell rank by fitness, above all others, which rank by distance")
{
    BehaviourSpace const space{{4}, {0}, {4}};  // cells of width 1; cell 2 has the centre 2.5
    OffspringValues offspring;
    offspring.bc_size = 1;
    offspring.bcs = {0.5, 2.0, 2.75, 3.5};
    offspring.objective = {900, -30, 12, 900};
    CHECK(target_values({space, CellId{2}}, offspring)
          == std::vector<double>{-2, 999'970, 1'000'012, -1});
    // A bonus of 10^6 would leave the second one below the others.
    offspring.objective[1] = -2e6;
    CHECK(target_values({space, CellId{2}}, offspring)
          == std::vector<double>{-2, 1, 2'000'013, -1});
}

TEST_CASE("an empty cell is filled from the nearest elite, and its fitness then increases")
{
    auto const problem = shared(test::toy_problem());
    // In widths of 0.4 the centre (0.2, 0.2) is 2.5 away from the first BC, 3.5 from the second.
    auto const state = state_with(*problem, {{1.2F, 0.2F, 0}, {0.2F, -1.2F, 0}});
    RefinementSettings const settings{.steps = 60, .evaluate_every = 25, .cells_at_once = 4};
    CellRefiner refiner{problem, settings, state, new_refinement(state.map, {cell_at_origin})};
    FunctionEvaluator evaluator{*problem, plane};
    CHECK(refine_to_end(refiner, evaluator) == 61);
    auto const& target = refiner.progress().targets.at(0);
    CHECK(target.start == CellId{85});
    CHECK((target.done && target.reached && !target.was_filled));
    auto const* const elite = refiner.state().map.find(cell_at_origin);
    REQUIRE(elite != nullptr);
    CHECK(elite->fitness > 0.2);
    CHECK(elite->parent_cell == CellId{85});
    CHECK(elite->bc[0] == static_cast<double>(elite->controller->parameters[0]));
    // 60 steps of 40, and 2 episodes after 25, 50 and 60 steps.
    CHECK(refiner.progress().episodes == 60 * 40 + 3 * 2);
    // The old elites are what they were.
    for (auto const& [cell, before] : state.map.elites()) {
        CHECK(refiner.state().map.find(cell)->controller == before.controller);
    }
}

// The step in double, from the formulas of the page on refining: F = f + 10^6 in the cell, whose
// centre is (0.2, 0.2) and which is 0.4 wide, else minus the distance in widths; ranks by counting;
// theta + lr (1/pairs sum (r+ - r-) eps - l2 theta).
TEST_CASE("a step of a refinement, computed by its formula")
{
    auto toy = test::toy_problem();
    toy.settings.es.optimizer = OptimiserKind::sgd;
    toy.settings.es.l2 = 0.1;
    auto const problem = shared(toy);
    auto const state = state_with(*problem, {{0.42F, 0.2F, 0.5F, 1, -1}});
    CellRefiner refiner{problem, {}, state, new_refinement(state.map, {cell_at_origin})};
    FunctionEvaluator evaluator{*problem, plane};
    StopToken stop;
    auto const batch = refiner.ask();
    REQUIRE(batch.groups.size() == 1);
    auto const result = *evaluator.evaluate(batch, stop);
    refiner.tell(batch, result, evaluator);
    std::vector<double> values;
    std::int64_t inside = 0;
    for (std::int64_t i = 0; i < 40; ++i) {
        auto const x = (result.bc(i)[0] - 0.2) / 0.4;
        auto const y = (result.bc(i)[1] - 0.2) / 0.4;
        bool const in_cell = std::abs(x) < 0.5 && std::abs(y) < 0.5;
        inside += in_cell ? 1 : 0;
        values.push_back(in_cell ? result.outcomes[static_cast<std::size_t>(i)].fitness + 1e6
                                 : -std::hypot(x, y));
    }
    REQUIRE((inside > 3 && inside < 37));
    auto const rank = [&](std::size_t member) {
        auto const below = std::ranges::count_if(
            values, [own = values[member]](double value) { return value < own; });
        return static_cast<double>(below) / 39 - 0.5;
    };
    auto const& theta = batch.groups[0].centre->parameters;
    auto const& stepped = refiner.progress().pursuers.at(0).emitter;
    for (Eigen::Index j = 0; j < 8; ++j) {
        double gradient = 0;
        for (std::size_t pair = 0; pair < 20; ++pair) {
            auto const at = batch.groups[0].offsets[pair].value() + j;
            gradient += (rank(2 * pair) - rank(2 * pair + 1))
                        * static_cast<double>(evaluator.values()[static_cast<std::size_t>(at)])
                        / 20;
        }
        CHECK(stepped.theta[j]
              == Approx(theta[j] + 0.05 * (gradient - 0.1 * theta[j])).epsilon(1e-4).margin(1e-6));
    }
}

TEST_CASE("a poor elite is replaced by a better one, a good one is kept")
{
    auto const problem = shared(test::toy_problem());
    auto const state = state_with(*problem, {{0.2F, 0.2F, -1}, {-0.2F, 0.2F, 50}});
    auto const good = state.map.space().cell_of(std::vector{-0.2, 0.2});
    auto stored = state;
    auto excellent = *state.map.find(good);
    excellent.fitness = 1000;  // never to be reached
    stored.map.restore(good, excellent);
    RefinementSettings const settings{.steps = 20, .evaluate_every = 20, .cells_at_once = 1};
    CellRefiner refiner{problem, settings, stored,
                        new_refinement(stored.map, {cell_at_origin, good})};
    FunctionEvaluator evaluator{*problem, plane};
    static_cast<void>(refine_to_end(refiner, evaluator));
    CHECK(refiner.state().map.find(cell_at_origin)->fitness > -1);
    CHECK(refiner.state().map.find(good)->fitness == 1000);
    CHECK(refiner.progress().targets.at(1).was_filled);
    CHECK(refiner.progress().targets.at(0).start == good);
}

TEST_CASE("waves go outwards from the filled cells, and later ones start from earlier ones")
{
    auto const problem = shared(test::toy_problem());
    auto const state = state_with(*problem, {{0.2F, 0.2F, 0}});
    // One, two and three cells along the first axis.
    std::vector<CellId> const cells{CellId{65}, CellId{75}, CellId{85}};
    RefinementSettings const settings{.steps = 40, .evaluate_every = 40, .cells_at_once = 1};
    CellRefiner refiner{problem, settings, state, new_refinement(state.map, cells)};
    FunctionEvaluator evaluator{*problem, plane};
    CHECK(refiner.progress().pursuers.at(0).target == 0);
    static_cast<void>(refine_to_end(refiner, evaluator));
    auto const& targets = refiner.progress().targets;
    CHECK(targets[0].start == cell_at_origin);
    CHECK(targets[1].start == CellId{65});
    CHECK(targets[2].start == CellId{75});
    CHECK(refiner.state().map.filled() == 4);
    CHECK(refiner.progress().wave == 3);
}

namespace {

/// Four cells in a row, of which the first is filled; each other one starts from the one before.
struct Row {
    explicit Row(OptimiserMemory memory, std::int64_t cells_at_once = 1)
        : problem{[memory] {
              auto toy = test::toy_problem();
              toy.settings.es.optimizer_state = memory;
              return shared(toy);
          }()},
          start{state_with(*problem, {{0.2F, 0.2F, 0}})},
          refiner{problem,
                  {.steps = 40, .evaluate_every = 40, .cells_at_once = cells_at_once},
                  start,
                  new_refinement(start.map, {CellId{65}, CellId{75}, CellId{85}})},
          evaluator{*problem, plane}
    {
    }

    void tell_one()
    {
        StopToken stop;
        auto const batch = refiner.ask();
        refiner.tell(batch, *evaluator.evaluate(batch, stop), evaluator);
    }
    [[nodiscard]] std::int64_t kept_states() const
    {
        return std::ranges::count_if(refiner.state().map.elites(), [](auto const& entry) {
            return entry.second.optimiser != nullptr;
        });
    }

    SearchProblemPtr problem;
    State start;
    CellRefiner refiner;
    FunctionEvaluator evaluator;
};

}  // namespace

TEST_CASE("a cell starts with the optimiser's state of the elite that an earlier wave has found")
{
    Row row{OptimiserMemory::reset};
    CHECK(row.refiner.progress().pursuers.at(0).emitter.optimiser.steps == 0);
    for (std::int64_t wave = 0; wave < 2; ++wave) {
        auto finished = row.refiner.progress().pursuers.at(0).emitter;
        while (row.refiner.progress().wave == wave) {
            finished = row.refiner.progress().pursuers.at(0).emitter;
            row.tell_one();
        }
        auto const& next = row.refiner.progress().pursuers.at(0).emitter;
        CHECK(finished.optimiser.steps == 40 * (wave + 1));
        CHECK(next.theta == finished.theta);
        CHECK(next.optimiser.steps == finished.optimiser.steps);
        CHECK(next.optimiser.first_moment == finished.optimiser.first_moment);
        CHECK(next.optimiser.second_moment == finished.optimiser.second_moment);
    }
}

TEST_CASE("the refined map keeps these states only if the run keeps them")
{
    Row reset{OptimiserMemory::reset};
    Row inherit{OptimiserMemory::inherit};
    for (auto* row : {&reset, &inherit}) {
        while (row->refiner.progress().wave < 1) {
            row->tell_one();
        }
        CHECK(row->kept_states() == 1);
        static_cast<void>(refine_to_end(row->refiner, row->evaluator));
    }
    CHECK(reset.kept_states() == 0);
    CHECK(inherit.kept_states() == 3);
    CHECK(reset.refiner.state().map.insertions() == inherit.refiner.state().map.insertions());
    for (auto const& [cell, elite] : inherit.refiner.state().map.elites()) {
        CHECK(reset.refiner.state().map.find(cell)->fitness == elite.fitness);
    }
    // Nothing could start from what a single wave finds.
    Row single{OptimiserMemory::reset, 3};
    while (!single.refiner.finished()) {
        single.tell_one();
        CHECK(single.kept_states() == 0);
    }
}

TEST_CASE("a refinement that continues from any of its states ends with the same bits")
{
    auto const problem = shared(test::toy_problem());
    auto const state = state_with(*problem, {{1.2F, 0.2F, 0}, {0.2F, -1.2F, 0}});
    RefinementSettings const settings{.steps = 5, .evaluate_every = 2, .cells_at_once = 2};
    std::vector<CellId> const cells{CellId{0}, cell_at_origin, CellId{57}, CellId{85}};
    CellRefiner whole{problem, settings, state, new_refinement(state.map, cells)};
    FunctionEvaluator evaluator{*problem, test::sphere};
    auto const batches = refine_to_end(whole, evaluator);
    CHECK(batches == 2 * 6);
    for (std::int64_t stop_at = 0; stop_at < batches; ++stop_at) {
        CellRefiner first{problem, settings, state, new_refinement(state.map, cells)};
        StopToken stop;
        for (std::int64_t i = 0; i < stop_at; ++i) {
            auto const batch = first.ask();
            first.tell(batch, *evaluator.evaluate(batch, stop), evaluator);
        }
        CellRefiner second{problem, settings, first.state(), first.progress()};
        static_cast<void>(refine_to_end(second, evaluator));
        CHECK(refined_fingerprint(second) == refined_fingerprint(whole));
        CHECK(second.progress().episodes == whole.progress().episodes);
    }
}

TEST_CASE("a step that diverges changes nothing and names the cell")
{
    auto problem = test::toy_problem();
    problem.settings.es.optimizer = OptimiserKind::sgd;
    problem.settings.es.learning_rate = 1e39;
    auto const pointer = shared(problem);
    auto const state = state_with(*pointer, {{1.2F, 0.2F, 0}});
    CellRefiner refiner{pointer, {}, state, new_refinement(state.map, {cell_at_origin})};
    FunctionEvaluator evaluator{*pointer, plane};
    StopToken stop;
    auto const batch = refiner.ask();
    auto const result = *evaluator.evaluate(batch, stop);
    CHECK_THAT(message_of<Error>([&] { refiner.tell(batch, result, evaluator); }),
               Catch::Matchers::ContainsSubstring("the ES towards cell 55 diverged"));
    CHECK(refiner.progress().episodes == 0);
    CHECK(refiner.progress().step == 0);
}
