#include "algorithms/function_evaluator.hpp"
#include "catch.hpp"

#include <map>
#include <set>
#include <utility>

// Every option from the same states: a search of the defaults is followed, and at each of its
// states one batch is asked for and told with the option on. What then differs must be exactly
// what the table says; the rest keeps its bits.

using namespace mees;
using namespace mees::test;

namespace {

using Quantities = std::map<std::string, std::vector<double>>;
using Names = std::set<std::string>;

template <class Vector>
void append(std::vector<double>& to, Vector const& values)
{
    to.insert(to.end(), values.begin(), values.end());
}

/// The sphere's noise, which also records the weights it was summed with.
class RecordingNoise final : public NoiseSource {
  public:
    explicit RecordingNoise(NoiseSource& inner) : inner_{inner} {}

    [[nodiscard]] std::span<float const> values() const override { return inner_.values(); }
    [[nodiscard]] Eigen::VectorXf weighted_sum(std::span<NoiseOffset const> offsets,
                                               std::span<float const> weights,
                                               std::int64_t size) override
    {
        append(recorded, weights);
        return inner_.weighted_sum(offsets, weights, size);
    }
    [[nodiscard]] std::vector<double> novelties(NoveltyArchive const& archive,
                                                std::span<double const> bcs) override
    {
        return inner_.novelties(archive, bcs);
    }

    std::vector<double> recorded;

  private:
    NoiseSource& inner_;
};

/// What is asked for.
Quantities described(Batch const& batch)
{
    Quantities q;
    for (std::int64_t i = 0; i < batch.episodes(); ++i) {
        auto spec = episode_of(batch, i);
        bool const training = spec.group->kind == EpisodeKind::training;
        q[training ? "offspring's resets" : "evaluation's resets"].push_back(spec.reset.uniform());
        q["action draws"].push_back(spec.action.uniform());
        q["observed episodes"].push_back(spec.records_observations ? 1 : 0);
    }
    for (auto const& group : batch.groups) {
        bool const training = group.kind == EpisodeKind::training;
        append(q[training ? "offspring's centre" : "evaluated controller"],
               group.centre->parameters);
        append(q["normaliser"], group.centre->normaliser.mean);
        append(q["normaliser"], group.centre->normaliser.std);
        for (auto const offset : group.offsets) {
            q["noise offsets"].push_back(static_cast<double>(offset.value()));
        }
        append(q["sizes"], std::vector<double>{group.sigma, group.action_noise,
                                               static_cast<double>(group.repeats),
                                               static_cast<double>(group.members())});
    }
    return q;
}

/// What became of it.
void describe(State const& state, Quantities& q)
{
    for (auto const& emitter : state.emitters) {
        q["mode"].push_back(static_cast<double>(emitter.mode));
        q["parent"].push_back(emitter.parent_cell ? double(emitter.parent_cell->value()) : -1);
        append(q["theta"], emitter.theta);
        append(q["optimiser"], emitter.optimiser.first_moment);
        append(q["optimiser"], emitter.optimiser.second_moment);
        q["optimiser's steps"].push_back(static_cast<double>(emitter.optimiser.steps));
    }
    for (auto const& [cell, elite] : state.map.elites()) {
        append(q["map"], std::vector{static_cast<double>(cell.value()), elite.fitness});
        append(q["map"], elite.bc);
        q["novelty"].push_back(elite.novelty);
    }
    append(q["archive"], state.archive.entries());
    append(q["observations"], state.observations.sum);
    q["novelty"].push_back(state.history.back().novelty);
    append(q["history"], std::vector{state.history.back().fitness, state.history.back().qd_score,
                                     static_cast<double>(state.episodes)});
}

/// One batch from `state`, with the archive measuring as the problem's settings say.
Quantities one_step(SearchProblem const& problem, State const& state, FunctionEvaluator& evaluator)
{
    auto start = state;
    start.archive = initial_state(problem).archive;
    for (std::int64_t i = 0; i < state.archive.size(); ++i) {
        start.archive.add(state.archive.entry(i));
    }
    auto const algorithm = resume(problem, start);
    StopToken stop;
    auto const batch = algorithm->ask();
    auto quantities = described(batch);
    RecordingNoise noise{evaluator};
    algorithm->tell(batch, *evaluator.evaluate(batch, stop), noise);
    quantities["ranks"] = noise.recorded;
    describe(algorithm->state(), quantities);
    return quantities;
}

/// What ever differs on the way of `base`.
Names changed_by(SearchProblem const& base, SearchProblem const& changed)
{
    Names names;
    auto const algorithm = start(base);
    FunctionEvaluator evaluator{base, sphere};
    StopToken stop;
    while (!algorithm->finished()) {
        auto const expected = one_step(base, algorithm->state(), evaluator);
        auto const found = one_step(changed, algorithm->state(), evaluator);
        REQUIRE(found.size() == expected.size());
        for (auto const& [name, values] : expected) {
            if (found.at(name) != values) {
                names.insert(name);
            }
        }
        auto const batch = algorithm->ask();
        algorithm->tell(batch, *evaluator.evaluate(batch, stop), evaluator);
    }
    return names;
}

struct Option {
    char const* text;
    SearchMode mode;
    void (*set)(Settings&);
    Names changes;
};

Names const step{"theta", "optimiser"};
Names const new_ranks{"theta", "optimiser", "ranks"};
Names const new_parent{"theta",  "optimiser",    "ranks",
                       "parent", "observations", "offspring's centre"};

Names with(Names names, Names const& more)
{
    names.insert(more.begin(), more.end());
    return names;
}

std::vector<Option> options()
{
    return {
        {"mean of squared distances, exploiting",
         SearchMode::exploit,
         [](Settings& s) { s.algorithm.novelty_metric = NoveltyMetric::squared; },
         {"novelty"}},
        {"mean of squared distances, exploring", SearchMode::explore,
         [](Settings& s) { s.algorithm.novelty_metric = NoveltyMetric::squared; },
         with(new_parent, {"novelty"})},
        {"coin toss", SearchMode::explore_exploit,
         [](Settings& s) { s.algorithm.mode_schedule = ModeSchedule::coin; },
         with(new_parent, {"mode"})},
        {"coin toss where there is nothing to toss for",
         SearchMode::exploit,
         [](Settings& s) { s.algorithm.mode_schedule = ModeSchedule::coin; },
         {}},
        {"sgd", SearchMode::explore_exploit,
         [](Settings& s) { s.es.optimizer = OptimiserKind::sgd; }, step},
        {"dividing by sigma", SearchMode::explore_exploit,
         [](Settings& s) { s.es.divide_by_sigma = true; }, step},
        {"10 % uniform mass", SearchMode::explore,
         [](Settings& s) { s.algorithm.explore_cells = ExploreCells::most_novel_mixed; },
         new_parent},
        {"10 % uniform mass, exploiting",
         SearchMode::exploit,
         [](Settings& s) { s.algorithm.explore_cells = ExploreCells::most_novel_mixed; },
         {}},
        {"best or uniform", SearchMode::exploit,
         [](Settings& s) { s.algorithm.exploit_cells = ExploitCells::best_or_uniform; },
         new_parent},
        {"best or uniform, exploring",
         SearchMode::explore,
         [](Settings& s) { s.algorithm.exploit_cells = ExploitCells::best_or_uniform; },
         {}},
        {"xavier",
         SearchMode::explore_exploit,
         [](Settings& s) { s.policy.init = PolicyInit::xavier; },
         {}},
        {"paired seeds", SearchMode::explore_exploit,
         [](Settings& s) { s.es.seeds = SharedSeeds::pair; },
         with(new_ranks, {"offspring's resets", "observations"})},
        {"uniform cells when exploring", SearchMode::explore,
         [](Settings& s) { s.algorithm.explore_cells = ExploreCells::uniform; }, new_parent},
        {"uniform cells when exploiting", SearchMode::exploit,
         [](Settings& s) { s.algorithm.exploit_cells = ExploitCells::uniform; }, new_parent},
        {"inputs as they are",
         SearchMode::explore_exploit,
         [](Settings& s) { s.policy.normalise_observations = false; },
         {"normaliser", "observed episodes", "observations"}},
        {"two neighbours, exploiting",
         SearchMode::exploit,
         [](Settings& s) { s.algorithm.novelty_k = 2; },
         {"novelty"}},
    };
}

}  // namespace

TEST_CASE("every option changes what it should and nothing else")
{
    for (auto const& option : options()) {
        INFO(option.text);
        auto base = toy_problem();
        base.settings.run.generations = 40;
        base.settings.es.l2 = 0.005;
        base.settings.algorithm.n_optim_gens = 2;
        base.settings.algorithm.mode = option.mode;
        auto changed = base;
        option.set(changed.settings);
        CHECK(changed_by(base, changed) == option.changes);
    }
}

TEST_CASE("of all these, xavier alone changes the initial state, and in it theta alone")
{
    for (auto const& option : options()) {
        INFO(option.text);
        auto const base = toy_problem();
        auto changed = base;
        option.set(changed.settings);
        auto const expected = initial_state(base);
        auto state = initial_state(changed);
        bool const xavier = changed.settings.policy.init == PolicyInit::xavier;
        CHECK((state.emitters.front().theta != expected.emitters.front().theta) == xavier);
        state.emitters.front().theta = expected.emitters.front().theta;
        CHECK(fingerprint(state) == fingerprint(expected));
    }
}

TEST_CASE("the search starts with hidden units of the norm that the settings name")
{
    auto problem = toy_problem();
    problem.network = NetworkShape{{3, 4, 2}};
    problem.settings.policy.hidden_norm = 1;
    auto const theta = initial_state(problem).emitters.front().theta;
    auto const first = theta.head(12).reshaped(4, 3);  // of each hidden unit, a row
    CHECK(first.rowwise().norm().isApproxToConstant(1.F));
}
