#include "mees/algorithms/search_size.hpp"

#include <algorithm>

namespace mees {

SearchSize search_size(AlgorithmSettings const& settings)
{
    auto const& name = settings.name;
    if (name == "me-ga") {
        return {.optimised = 0, .populations = 0, .measured = settings.children};
    }
    if (name == "ns-es" || name == "nsr-es" || name == "nsra-es") {
        return {.initial = settings.parents, .optimised = settings.parents};
    }
    if (name == "memes") {
        return {.optimised = settings.emitters,
                .populations = settings.emitters,
                .measured = settings.emitters};
    }
    if (name == "me-es") {
        auto const candidates =
            std::max(std::int64_t{1}, static_cast<std::int64_t>(settings.objectives.size()));
        return {.optimised = candidates, .measured = candidates};
    }
    return {};
}

std::int64_t episodes_per_generation(Settings const& settings)
{
    auto const size = search_size(settings.algorithm);
    return size.populations * settings.es.population + size.measured * settings.algorithm.n_eval;
}

}  // namespace mees
