#include "mees/algorithms/algorithm.hpp"
#include "mees/algorithms/es_search.hpp"
#include "mees/algorithms/me_ga.hpp"
#include "mees/core/error.hpp"

#include <utility>

namespace mees {
namespace {

using MakeStrategy = std::unique_ptr<Strategy> (*)(SearchProblem const&);

struct Entry {
    char const* name;
    MakeStrategy make;
};

constexpr Entry strategies[] = {
    {"me-es", make_me_es},   {"ns-es", make_ns_es}, {"nsr-es", make_ns_es},
    {"nsra-es", make_ns_es}, {"es", make_plain_es}, {"memes", make_memes},
};

}  // namespace

std::unique_ptr<Algorithm> make_algorithm(SearchProblem problem, State state)
{
    auto const& name = problem.settings.algorithm.name;
    if (name == "me-ga") {
        return std::make_unique<MeGa>(std::move(problem), std::move(state));
    }
    for (auto const& entry : strategies) {
        if (name == entry.name) {
            auto strategy = entry.make(problem);
            return std::make_unique<EsSearch>(std::move(problem), std::move(state),
                                              std::move(strategy));
        }
    }
    contract_violated("a known algorithm");
}

}  // namespace mees
