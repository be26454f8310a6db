#include "mees/core/error.hpp"
#include "mees/core/statistics.hpp"
#include "mees/storage/map/document.hpp"

#include <algorithm>

namespace mees {

VariantSummary summarise_variants(std::vector<double> fitness)
{
    expects(!fitness.empty(), "at least one variant");
    double const mean = mean_of(fitness);
    std::ranges::sort(fitness);
    double const place = 0.05 * static_cast<double>(fitness.size() - 1);
    auto const below = static_cast<std::size_t>(place);
    auto const above = std::min(below + 1, fitness.size() - 1);
    double const share = place - static_cast<double>(below);
    return {.mean = mean,
            .robust = fitness[below] + share * (fitness[above] - fitness[below]),
            .worst = fitness.front()};
}

}  // namespace mees
