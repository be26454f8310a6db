#include "mees/qd/cell_sampler.hpp"

#include "mees/core/error.hpp"

#include <algorithm>
#include <map>

namespace mees {
namespace {

constexpr std::size_t most_novel_count = 5;
constexpr std::size_t fittest_count = 2;
constexpr std::size_t recent_count = 5;
constexpr double even_mass = 0.1;

using Entry = std::pair<CellId, Elite const*>;

/// The first `count` cells by descending `key`; ties go to the lower cell.
template <class Key>
std::vector<Entry> top(std::vector<Entry> entries, std::size_t count, Key key)
{
    std::ranges::stable_sort(entries, std::ranges::greater{},
                             [&](Entry const& entry) { return key(*entry.second); });
    entries.resize(std::min(count, entries.size()));
    return entries;
}

std::vector<Entry> entries_of(EliteMap const& map)
{
    std::vector<Entry> entries;
    for (auto const& [cell, elite] : map.elites()) {
        entries.emplace_back(cell, &elite);
    }
    expects(!entries.empty(), "a map with at least one elite to sample from");
    return entries;
}

/// A mixture under construction, kept in ascending order of cell.
class Mixture {
  public:
    void add_uniform(std::vector<Entry> const& entries, double mass)
    {
        for (auto const& [cell, elite] : entries) {
            masses_[cell] += mass / static_cast<double>(entries.size());
        }
    }
    void add_by_novelty(std::vector<Entry> const& entries, double mass)
    {
        double total = 0;
        for (auto const& [cell, elite] : entries) {
            total += elite->novelty;
        }
        if (total <= 0) {
            add_uniform(entries, mass);
            return;
        }
        for (auto const& [cell, elite] : entries) {
            masses_[cell] += mass * elite->novelty / total;
        }
    }
    [[nodiscard]] CellDistribution distribution() const
    {
        CellDistribution result;
        std::ranges::copy_if(masses_, std::back_inserter(result),
                             [](auto const& entry) { return entry.second > 0; });
        return result;
    }

  private:
    std::map<CellId, double> masses_;
};

double fitness_of(Elite const& elite)
{
    return elite.fitness;
}

}  // namespace

CellDistribution uniform_distribution(EliteMap const& map)
{
    Mixture mixture;
    mixture.add_uniform(entries_of(map), 1);
    return mixture.distribution();
}

CellDistribution explore_distribution(EliteMap const& map, ExploreCells rule)
{
    auto const entries = entries_of(map);
    bool const all_zero =
        std::ranges::all_of(entries, [](Entry const& entry) { return entry.second->novelty <= 0; });
    double spread = 0;
    switch (rule) {
        case ExploreCells::most_novel:
            break;
        case ExploreCells::most_novel_mixed:
            spread = even_mass;
            break;
        case ExploreCells::uniform:
            return uniform_distribution(map);
    }
    if (all_zero) {
        return uniform_distribution(map);
    }
    Mixture mixture;
    mixture.add_by_novelty(
        top(entries, most_novel_count, [](Elite const& elite) { return elite.novelty; }),
        1 - spread);
    mixture.add_uniform(entries, spread);
    return mixture.distribution();
}

CellDistribution exploit_distribution(EliteMap const& map, ExploitCells rule)
{
    auto const entries = entries_of(map);
    Mixture mixture;
    switch (rule) {
        case ExploitCells::best_or_recent: {
            auto recent =
                top(entries, recent_count, [](Elite const& elite) { return elite.inserted; });
            std::ranges::sort(recent, {}, &Entry::first);
            mixture.add_uniform(top(entries, fittest_count, fitness_of), 0.5);
            mixture.add_uniform(top(std::move(recent), fittest_count, fitness_of), 0.5);
            break;
        }
        case ExploitCells::best_or_uniform:
            mixture.add_uniform(top(entries, 1, fitness_of), 0.5);
            mixture.add_uniform(entries, 0.5);
            break;
        case ExploitCells::uniform:
            mixture.add_uniform(entries, 1);
            break;
    }
    return mixture.distribution();
}

CellId sample(CellDistribution const& distribution, Stream& stream)
{
    expects(!distribution.empty(), "something to draw from");
    double remaining = stream.uniform();
    for (auto const& [cell, probability] : distribution) {
        if (remaining < probability) {
            return cell;
        }
        remaining -= probability;
    }
    return distribution.back().first;
}

}  // namespace mees
