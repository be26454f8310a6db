#include "mees/algorithms/es_search.hpp"

namespace mees {
namespace {

/// ES: one parent that optimises fitness.
class PlainEs final : public Strategy {
  public:
    explicit PlainEs(SearchProblemPtr const& /*problem*/) {}

    [[nodiscard]] std::vector<Move> next(State const& /*state*/) const override
    {
        return {{.mode = Mode::exploit, .objectives = {Objective::only_fitness()}}};
    }
    [[nodiscard]] bool can_overlap(State const& /*state*/) const override { return true; }
};

}  // namespace

AlgorithmType plain_es()
{
    return {.known = {"es", es_search_keys()}, .make = make_es_search<PlainEs>};
}

}  // namespace mees
