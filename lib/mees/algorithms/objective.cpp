#include "mees/algorithms/objective.hpp"

#include "mees/algorithms/evolvability.hpp"
#include "mees/core/error.hpp"
#include "mees/core/statistics.hpp"
#include "mees/es/gradient.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace mees {
namespace {

/// The values of one component of an objective, and its weight.
struct Component {
    double weight;
    std::vector<double> values;
};

std::vector<Component> components_of(Objective const& objective, OffspringValues const& offspring,
                                     Reference const& reference)
{
    std::vector<Component> components;
    if (objective.fitness != 0) {
        components.push_back({objective.fitness, offspring.objective});
    }
    if (objective.novelty != 0) {
        components.push_back({objective.novelty, offspring.novelty.empty()
                                                     ? reference.archive.novelties(offspring.bcs)
                                                     : offspring.novelty});
    }
    if (objective.evolvability != 0) {
        components.push_back(
            {objective.evolvability, spread_values(offspring.bcs, offspring.size())});
    }
    if (objective.needs_same_states()) {
        auto const bcs = scaled_behaviours(offspring.bcs, reference.extents);
        if (objective.max_var != 0) {
            components.push_back({objective.max_var, spread_values(bcs, offspring.size())});
        }
        if (objective.max_ent != 0) {
            components.push_back(
                {objective.max_ent, entropy_values(bcs, offspring.size(), reference.kernel_width)});
        }
    }
    return components;
}

std::vector<double> weighted_ranks(std::vector<Component> const& components, std::size_t size)
{
    std::vector<double> total(size, 0.0);
    for (auto const& component : components) {
        auto const ranks = centred_ranks(component.values);
        for (std::size_t i = 0; i < size; ++i) {
            total[i] += component.weight * ranks[i];
        }
    }
    return total;
}

/// The share of the pairs whose better member ranks highest, by index; the lower index at a tie.
std::vector<std::size_t> best_pairs(std::vector<double> const& ranks, double fraction)
{
    std::vector<std::size_t> pairs(ranks.size() / 2);
    std::iota(pairs.begin(), pairs.end(), std::size_t{0});
    if (fraction >= 1) {
        return pairs;
    }
    std::ranges::stable_sort(pairs, std::greater{}, [&](std::size_t pair) {
        return std::max(ranks[2 * pair], ranks[2 * pair + 1]);
    });
    auto const used = std::ceil(fraction * static_cast<double>(pairs.size()));
    pairs.resize(static_cast<std::size_t>(std::max(1.0, used)));
    std::ranges::sort(pairs);
    return pairs;
}

/// Weighted values, each component divided by its standard deviation over the pairs used; a
/// component without any spread there counts as 0.
std::vector<double> standardised(std::vector<Component> const& components,
                                 std::vector<std::size_t> const& pairs, std::size_t size)
{
    std::vector<double> total(size, 0.0);
    for (auto const& component : components) {
        std::vector<double> used;
        for (auto const pair : pairs) {
            used.push_back(component.values[2 * pair]);
            used.push_back(component.values[2 * pair + 1]);
        }
        auto const variance =
            squared_deviations_of(used, mean_of(used)) / static_cast<double>(used.size());
        if (double const deviation = std::sqrt(variance); deviation > 0) {
            for (std::size_t i = 0; i < size; ++i) {
                total[i] += component.weight * component.values[i] / deviation;
            }
        }
    }
    return total;
}

/// The gradient that `pairs` form, of components whose weighted ranks are `ranks`.
GradientTerms terms_of_pairs(std::vector<std::size_t> const& pairs,
                             std::vector<Component> const& components,
                             std::vector<double> const& ranks, std::span<NoiseOffset const> offsets,
                             Utility utility)
{
    expects(ranks.size() == 2 * offsets.size(), "a mirrored pair for each offset");
    auto utilities = ranks;
    switch (utility) {
        case Utility::ranks:
            break;
        case Utility::standardised:
            utilities = standardised(components, pairs, ranks.size());
            break;
    }
    auto const weights = pair_weights(utilities);
    GradientTerms terms;
    for (auto const pair : pairs) {
        terms.offsets.push_back(offsets[pair]);
        terms.weights.push_back(weights[pair]);
    }
    return terms;
}

}  // namespace

std::vector<double> objective_ranks(Objective const& objective, OffspringValues const& offspring,
                                    Reference const& reference)
{
    return weighted_ranks(components_of(objective, offspring, reference), offspring.size());
}

GradientTerms gradient_terms(Objective const& objective, OffspringValues const& offspring,
                             std::span<NoiseOffset const> offsets, Reference const& reference,
                             EsSettings const& settings)
{
    auto const components = components_of(objective, offspring, reference);
    auto const ranks = weighted_ranks(components, offspring.size());
    return terms_of_pairs(best_pairs(ranks, settings.direction_fraction), components, ranks,
                          offsets, settings.utility);
}

std::vector<GradientTerms> value_gradients(std::span<std::vector<double> const> values,
                                           std::span<NoiseOffset const> offsets,
                                           EsSettings const& settings)
{
    std::vector<GradientTerms> gradients;
    std::vector<std::size_t> pairs;
    for (auto const& one : values) {
        std::vector<Component> const components{{1, one}};
        auto const ranks = weighted_ranks(components, one.size());
        if (gradients.empty()) {
            pairs = best_pairs(ranks, settings.direction_fraction);
        }
        gradients.push_back(terms_of_pairs(pairs, components, ranks, offsets, settings.utility));
    }
    return gradients;
}

}  // namespace mees
