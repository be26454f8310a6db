#pragma once

#include "mees/algorithms/registry.hpp"
#include "mees/es/gradient.hpp"
#include "mees/es/noise_table.hpp"
#include "mees/es/perturbation.hpp"
#include "mees/evaluation/evaluator.hpp"

#include <functional>
#include <vector>

namespace mees::test {

struct Point {
    double fitness;
    std::vector<double> bc;
    double left_out{0};
};

/// Evaluates a function of the parameters instead of a robot: answers are known exactly. Counts
/// what it is asked for.
class FunctionEvaluator final : public Evaluator, public NoiseSource {
  public:
    using Function = std::function<Point(std::span<float const>, EpisodeSpec const&)>;

    FunctionEvaluator(SearchProblem const& problem, Function function)
        : table_{make_noise_table(problem.settings.noise.table_size, 42, 1)},
          size_{problem.network.parameter_count()},
          inputs_{problem.network.inputs()},
          bc_size_{problem.space.dimensions()},
          function_{std::move(function)}
    {
    }

    [[nodiscard]] std::optional<BatchResult> evaluate(Batch const& batch,
                                                      StopToken& /*stop*/) override
    {
        ++batches;
        BatchResult result{batch.episodes(), bc_size_};
        std::vector<float> theta(static_cast<std::size_t>(size_));
        for (std::int64_t i = 0; i < batch.episodes(); ++i) {
            auto const spec = episode_of(batch, i);
            perturb(*spec.group, spec.member, table_, theta);
            auto const point = function_(theta, spec);
            result.outcomes[static_cast<std::size_t>(i)] = {point.fitness, 1, EpisodeEnd::completed,
                                                            point.left_out};
            std::ranges::copy(point.bc, result.bc(i).begin());
            if (spec.records_observations) {
                auto moments = ObservationMoments::none(inputs_);
                moments.add(std::vector<double>(static_cast<std::size_t>(inputs_), point.fitness));
                result.observations.push_back({i, moments});
            }
        }
        return result;
    }

    [[nodiscard]] std::vector<double> novelties(NoveltyArchive const& archive,
                                                std::span<double const> bcs) override
    {
        return archive.novelties(bcs);
    }

    [[nodiscard]] Eigen::VectorXf weighted_sum(std::span<NoiseOffset const> offsets,
                                               std::span<float const> weights,
                                               std::int64_t size) override
    {
        Eigen::VectorXf sums(size);
        sum_weighted_noise(table_, offsets, weights, 0,
                           {sums.data(), static_cast<std::size_t>(size)});
        return sums;
    }

    [[nodiscard]] std::span<float const> values() const override { return table_; }
    [[nodiscard]] std::int32_t workers() const override { return 1; }
    [[nodiscard]] std::vector<WorkerTiming> timing() const override { return {}; }

    int batches{0};

  private:
    TableMemory table_;
    std::int64_t size_;
    std::int64_t inputs_;
    std::int64_t bc_size_;
    Function function_;
};

/// Eight parameters, the first two of which are the BC.
inline SearchProblem toy_problem(std::string const& algorithm = "me-es")
{
    Settings settings;
    settings.algorithm.name = algorithm;
    settings.run.generations = 30;
    settings.noise.table_size = 20'000;
    settings.es.population = 40;
    settings.es.sigma = 0.05;
    settings.es.learning_rate = 0.05;
    settings.es.l2 = 0;
    settings.algorithm.n_optim_gens = 4;
    settings.algorithm.n_eval = 3;
    settings.policy.observation_fraction = 0.2;
    return {settings, NetworkShape{{3, 2}}, BehaviourSpace{{10, 10}, {-2, -2}, {2, 2}},
            AlgorithmRegistry{}.find(algorithm)};
}

/// The problem's algorithm, from its beginning or from a state.
inline std::unique_ptr<Algorithm> start(SearchProblem const& problem)
{
    return make_algorithm(std::make_shared<SearchProblem const>(problem), initial_state(problem));
}
inline std::unique_ptr<Algorithm> resume(SearchProblem const& problem, State state)
{
    return make_algorithm(std::make_shared<SearchProblem const>(problem), std::move(state));
}

/// Fitness falls with the squared distance to (1, 1, ...); a little noise from the episode's
/// stream.
inline Point sphere(std::span<float const> theta, EpisodeSpec const& spec)
{
    auto reset = spec.reset;
    double fitness = 1e-3 * reset.normal();
    for (float const x : theta) {
        fitness -= (x - 1.0) * (x - 1.0);
    }
    return {fitness, {theta[0], theta[1]}};
}

inline void run_to_end(Algorithm& algorithm, FunctionEvaluator& evaluator)
{
    StopToken stop;
    while (!algorithm.finished()) {
        auto const batch = algorithm.ask();
        algorithm.tell(batch, *evaluator.evaluate(batch, stop), evaluator);
    }
}

/// The state that a whole search on the sphere ends in.
inline State final_state(SearchProblem const& problem,
                         FunctionEvaluator::Function function = sphere)
{
    auto const algorithm = start(problem);
    FunctionEvaluator evaluator{problem, std::move(function)};
    run_to_end(*algorithm, evaluator);
    return algorithm->state();
}

inline double best_of(State const& state)
{
    return state.map.find(*best_cell(state.map))->fitness;
}

/// A hash over the bits of everything that a checkpoint would keep.
std::uint64_t fingerprint(State const& state);

}  // namespace mees::test
