#include "mees/algorithms/offspring.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace mees {

void append_offspring(OffspringValues& values, BatchResult const& result, EpisodeRange range,
                      std::int32_t repeats)
{
    values.bc_size = result.bc_size;
    auto const count = static_cast<double>(repeats);
    for (auto first = range.first; first < range.first + range.count; first += repeats) {
        double objective = 0;
        double fitness = 0;
        auto const bc = values.bcs.size();
        values.bcs.resize(bc + static_cast<std::size_t>(result.bc_size), 0.0);
        for (auto i = first; i < first + repeats; ++i) {
            auto const& outcome = result.outcomes[static_cast<std::size_t>(i)];
            objective += outcome.objective();
            fitness += outcome.fitness;
            for (std::size_t axis = 0; axis < result.bc(i).size(); ++axis) {
                values.bcs[bc + axis] += result.bc(i)[axis];
            }
        }
        values.objective.push_back(objective / count);
        values.fitness.push_back(fitness / count);
        std::for_each(values.bcs.begin() + static_cast<std::ptrdiff_t>(bc), values.bcs.end(),
                      [count](double& value) { value /= count; });
    }
}

std::vector<std::int64_t> most_improving(OffspringValues const& values, EliteMap const& map,
                                         std::int64_t count)
{
    if (count == 0) {
        return {};
    }
    double lowest = std::numeric_limits<double>::infinity();
    for (auto const& [cell, elite] : map.elites()) {
        lowest = std::min(lowest, elite.fitness);
    }
    std::map<CellId, std::int64_t> best_of_cell;
    for (std::size_t i = 0; i < values.size(); ++i) {
        auto const [known, is_new] = best_of_cell.try_emplace(map.space().cell_of(values.bc(i)),
                                                              static_cast<std::int64_t>(i));
        if (!is_new
            && values.fitness[i] > values.fitness[static_cast<std::size_t>(known->second)]) {
            known->second = static_cast<std::int64_t>(i);
        }
    }
    std::vector<std::pair<double, std::int64_t>> improvements;
    for (auto const& [cell, member] : best_of_cell) {
        auto const fitness = values.fitness[static_cast<std::size_t>(member)];
        auto const* const elite = map.find(cell);
        if (elite == nullptr || fitness > elite->fitness) {
            improvements.emplace_back(fitness - (elite == nullptr ? lowest : elite->fitness),
                                      member);
        }
    }
    std::ranges::sort(improvements, [](auto const& a, auto const& b) {
        return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    std::vector<std::int64_t> members;
    for (auto const& [improvement, member] : improvements) {
        if (std::ssize(members) < count) {
            members.push_back(member);
        }
    }
    return members;
}

}  // namespace mees
