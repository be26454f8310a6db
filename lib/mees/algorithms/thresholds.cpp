#include "mees/algorithms/thresholds.hpp"

#include "mees/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace mees {

std::vector<Improvement> improvements(ThresholdRule const& rule,
                                      std::map<CellId, double> const& thresholds,
                                      std::span<CellId const> cells,
                                      std::span<double const> objectives)
{
    expects(cells.size() == objectives.size(), "a cell for each objective");
    std::vector<Improvement> result;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        auto const found = thresholds.find(cells[i]);
        bool const discovers = found == thresholds.end();
        if (discovers && !rule.floor) {
            result.push_back({true, true, objectives[i]});
            continue;
        }
        double const threshold = discovers ? *rule.floor : found->second;
        bool const accepted = objectives[i] > threshold;
        result.push_back({accepted, accepted && discovers, objectives[i] - threshold});
    }
    return result;
}

void update_thresholds(ThresholdRule const& rule, std::map<CellId, double>& thresholds,
                       std::span<CellId const> cells, std::span<double const> objectives)
{
    struct Accepted {
        double count{0};
        double sum{0};
        double highest{0};
    };
    std::map<CellId, Accepted> of_cells;
    auto const compared = improvements(rule, thresholds, cells, objectives);
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (compared[i].accepted) {
            auto& accepted = of_cells[cells[i]];
            accepted.highest =
                accepted.count == 0 ? objectives[i] : std::max(accepted.highest, objectives[i]);
            accepted.sum += objectives[i];
            ++accepted.count;
        }
    }
    for (auto const& [cell, accepted] : of_cells) {
        if (!rule.floor) {
            thresholds[cell] = accepted.highest;
            continue;
        }
        auto& threshold = thresholds.try_emplace(cell, *rule.floor).first->second;
        double const kept = std::pow(1 - rule.rate, accepted.count);
        threshold = kept * threshold + (1 - kept) * (accepted.sum / accepted.count);
    }
}

std::vector<double> ranking_values(ThresholdRule const& rule,
                                   std::span<Improvement const> improvements)
{
    std::vector<double> values;
    if (rule.floor) {
        for (auto const& one : improvements) {
            values.push_back(one.value);
        }
        return values;
    }
    auto const key = [](Improvement const& one) {
        return std::tuple{one.discovers, one.accepted, one.value};
    };
    std::vector<std::tuple<bool, bool, double>> keys;
    std::ranges::transform(improvements, std::back_inserter(keys), key);
    std::ranges::sort(keys);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    for (auto const& one : improvements) {
        values.push_back(
            static_cast<double>(std::ranges::lower_bound(keys, key(one)) - keys.begin()));
    }
    return values;
}

}  // namespace mees
