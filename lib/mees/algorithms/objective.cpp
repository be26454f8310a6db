#include "mees/algorithms/objective.hpp"

#include "mees/core/error.hpp"
#include "mees/es/gradient.hpp"

#include <span>

namespace mees {
namespace {

std::vector<double> fitness_values(BatchResult const& result, EpisodeRange range)
{
    std::vector<double> values;
    for (auto i = range.first; i < range.first + range.count; ++i) {
        values.push_back(result.outcomes[static_cast<std::size_t>(i)].fitness);
    }
    return values;
}

std::span<double const> bcs_of(BatchResult const& result, EpisodeRange range)
{
    return std::span{result.bcs}.subspan(static_cast<std::size_t>(range.first * result.bc_size),
                                         static_cast<std::size_t>(range.count * result.bc_size));
}

std::vector<double> spread_values(BatchResult const& result, EpisodeRange range)
{
    std::vector<double> mean(static_cast<std::size_t>(result.bc_size), 0.0);
    for (auto i = range.first; i < range.first + range.count; ++i) {
        auto const bc = result.bc(i);
        for (std::size_t axis = 0; axis < mean.size(); ++axis) {
            mean[axis] += bc[axis] / static_cast<double>(range.count);
        }
    }
    std::vector<double> values;
    for (auto i = range.first; i < range.first + range.count; ++i) {
        values.push_back(squared_distance(result.bc(i), mean));
    }
    return values;
}

void add_ranks(std::vector<double>& total, double weight, std::vector<double> const& values)
{
    auto const ranks = centred_ranks(values);
    for (std::size_t i = 0; i < total.size(); ++i) {
        total[i] += weight * ranks[i];
    }
}

}  // namespace

Objective objective_of(ObjectiveKind kind)
{
    switch (kind) {
        case ObjectiveKind::fitness:
            return Objective::only_fitness();
        case ObjectiveKind::novelty:
            return Objective::only_novelty();
        case ObjectiveKind::evolvability:
            return Objective::only_evolvability();
    }
    contract_violated("a known objective");
}

std::vector<double> objective_ranks(Objective const& objective, BatchResult const& result,
                                    EpisodeRange range, NoveltyArchive const& archive)
{
    std::vector<double> total(static_cast<std::size_t>(range.count), 0.0);
    if (objective.fitness != 0) {
        add_ranks(total, objective.fitness, fitness_values(result, range));
    }
    if (objective.novelty != 0) {
        add_ranks(total, objective.novelty, archive.novelties(bcs_of(result, range)));
    }
    if (objective.evolvability != 0) {
        add_ranks(total, objective.evolvability, spread_values(result, range));
    }
    return total;
}

}  // namespace mees
