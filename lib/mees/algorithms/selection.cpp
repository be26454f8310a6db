#include "mees/algorithms/selection.hpp"

#include "mees/core/error.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

namespace mees {
namespace {

NoveltyArchive with_members(NoveltyArchive archive, std::span<double const> bcs)
{
    auto const width = static_cast<std::size_t>(archive.dimensions());
    for (std::size_t begin = 0; begin < bcs.size(); begin += width) {
        archive.add(bcs.subspan(begin, width));
    }
    return archive;
}

/// The number of the front of each member: 0 if no other dominates it.
std::vector<std::size_t> fronts_of(std::span<double const> first, std::span<double const> second)
{
    auto const dominates = [&](std::size_t a, std::size_t b) {
        return first[a] >= first[b] && second[a] >= second[b]
               && (first[a] > first[b] || second[a] > second[b]);
    };
    // In lexicographic order a member is dominated by earlier ones only.
    std::vector<std::size_t> order(first.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t member) {
        return std::pair{first[member], second[member]};
    });
    std::vector<std::size_t> front(first.size(), 0);
    for (std::size_t i = 0; i < order.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (dominates(order[j], order[i])) {
                front[order[i]] = std::max(front[order[i]], front[order[j]] + 1);
            }
        }
    }
    return front;
}

/// Adds the crowding of one front along one objective; its extremes get infinity.
void add_crowding(std::vector<std::size_t> front, std::span<double const> values,
                  std::vector<double>& crowding)
{
    std::ranges::stable_sort(front, {}, [&](std::size_t member) { return values[member]; });
    double const range = values[front.back()] - values[front.front()];
    crowding[front.front()] = std::numeric_limits<double>::infinity();
    crowding[front.back()] = std::numeric_limits<double>::infinity();
    for (std::size_t i = 1; i + 1 < front.size() && range > 0; ++i) {
        crowding[front[i]] += (values[front[i + 1]] - values[front[i - 1]]) / range;
    }
}

}  // namespace

std::vector<std::size_t> descending(std::span<double const> values)
{
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater{},
                             [&](std::size_t member) { return values[member]; });
    return order;
}

std::vector<double> novelties_within(NoveltyArchive const& archive, std::span<double const> bcs)
{
    auto const all = with_members(archive, bcs);
    std::vector<double> novelties;
    for (auto member = archive.size(); member < all.size(); ++member) {
        novelties.push_back(all.novelty(all.entry(member), member));
    }
    return novelties;
}

std::vector<double> local_competition(NoveltyArchive const& archive,
                                      std::span<double const> archive_fitness,
                                      std::span<double const> bcs, std::span<double const> fitness)
{
    expects(static_cast<std::int64_t>(archive_fitness.size()) == archive.size(),
            "a fitness for each entry of the archive");
    auto const all = with_members(archive, bcs);
    std::vector<double> beaten;
    for (auto member = archive.size(); member < all.size(); ++member) {
        std::vector<std::pair<double, std::int64_t>> others;
        for (std::int64_t i = 0; i < all.size(); ++i) {
            if (i != member) {
                others.emplace_back(squared_distance(all.entry(member), all.entry(i)), i);
            }
        }
        auto const k = std::min(archive.settings().k, std::ssize(others));
        std::ranges::partial_sort(others, others.begin() + k);
        auto const own = fitness[static_cast<std::size_t>(member - archive.size())];
        beaten.push_back(static_cast<double>(
            std::count_if(others.begin(), others.begin() + k, [&](auto const& other) {
                auto const index = static_cast<std::size_t>(other.second);
                return (index < archive_fitness.size() ? archive_fitness[index]
                                                       : fitness[index - archive_fitness.size()])
                       < own;
            })));
    }
    return beaten;
}

std::vector<std::size_t> pareto_order(std::span<double const> first, std::span<double const> second)
{
    auto const front = fronts_of(first, second);
    std::vector<double> crowding(first.size(), 0.0);
    for (std::size_t number = 0; number < first.size(); ++number) {
        std::vector<std::size_t> members;
        for (std::size_t i = 0; i < front.size(); ++i) {
            if (front[i] == number) {
                members.push_back(i);
            }
        }
        if (members.empty()) {
            break;
        }
        add_crowding(members, first, crowding);
        add_crowding(members, second, crowding);
    }
    std::vector<std::size_t> order(first.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        return front[a] != front[b] ? front[a] < front[b] : crowding[a] > crowding[b];
    });
    return order;
}

}  // namespace mees
