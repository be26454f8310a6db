#pragma once

#include "mees/adaptation/recovery.hpp"
#include "mees/evaluation/evaluator.hpp"
#include "mees/qd/elite_map.hpp"

#include <memory>
#include <utility>
#include <vector>

/// An elite with one parameter, which identifies it.
inline mees::Elite elite(std::vector<double> bc, double fitness, float parameter = 0)
{
    mees::Elite elite;
    mees::Controller controller;
    controller.parameters = Eigen::VectorXf::Constant(1, parameter);
    elite.controller = std::make_shared<mees::Controller const>(std::move(controller));
    elite.bc = std::move(bc);
    elite.fitness = fitness;
    return elite;
}

/// A 6 x 5 map over [-2, 4] x [0, 10] without cell 7, in which no two elites have the same fitness.
inline double map_fitness(std::int64_t cell)
{
    return 100.0 + static_cast<double>(cell * cell * 17 % 101) * 3.0
           + static_cast<double>(cell) * 0.1;
}

inline double damaged_fitness(std::int64_t cell)
{
    return 0.5 * map_fitness(cell) + static_cast<double>(cell * 29 % 31) * 3.0;
}

inline mees::EliteMap small_map()
{
    mees::EliteMap map{mees::BehaviourSpace{std::vector<std::int64_t>{6, 5}, {-2, 0}, {4, 10}}};
    for (std::int64_t cell = 0; cell < 30; ++cell) {
        if (cell != 7) {
            map.insert(elite({-2 + (static_cast<double>(cell / 5) + 0.3) * 1.0,
                              (static_cast<double>(cell % 5) + 0.6) * 2.0},
                             map_fitness(cell), static_cast<float>(cell)));
        }
    }
    return map;
}

inline mees::RecoveryMap recovery_map(mees::EliteMap const& map)
{
    return {.prior = std::make_shared<mees::MapPrior const>(mees::prior_of(map)),
            .best_cell = mees::best_cell(map).value(),
            .controller = [map](mees::CellId cell) { return map.find(cell)->controller; }};
}

/// Returns the damaged fitness of the cell given by the parameter, with a little noise that depends
/// on the episode's streams only. Stops before batch number `stop_at`.
class FakeEvaluator : public mees::Evaluator {
  public:
    explicit FakeEvaluator(std::int64_t stop_at = -1) : stop_at_{stop_at} {}

    std::optional<mees::BatchResult> evaluate(mees::Batch const& batch, mees::StopToken&) override
    {
        if (batches++ == stop_at_) {
            return std::nullopt;
        }
        mees::BatchResult result{batch.episodes(), 1};
        for (std::int64_t i = 0; i < batch.episodes(); ++i) {
            auto spec = mees::episode_of(batch, i);
            auto const cell = static_cast<std::int64_t>(spec.group->centre->parameters[0]);
            result.outcomes[static_cast<std::size_t>(i)] = {
                .fitness = damaged_fitness(cell) + spec.reset.uniform(-1, 1),
                .steps = 10,
                .end = mees::EpisodeEnd::completed};
        }
        return result;
    }
    std::int32_t workers() const override { return 1; }
    std::vector<mees::WorkerTiming> timing() const override { return {}; }

    std::int64_t batches{0};

  private:
    std::int64_t stop_at_;
};
