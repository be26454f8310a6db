#include "mees/algorithms/es_search.hpp"

#include <algorithm>
#include <numeric>

namespace mees {
namespace {

/// ES: one parent that optimises fitness. With `starts` > 1 several do, each from initial
/// parameters of its own, and after every `start_generations` generations the fitter half of them
/// continues (successive halving) until one is left.
class PlainEs final : public Strategy {
  public:
    explicit PlainEs(SearchProblemPtr problem) : problem_{std::move(problem)} {}

    [[nodiscard]] std::vector<Move> next(State const& state) const override
    {
        std::vector<Move> moves(state.emitters.size());
        for (std::size_t i = 0; i < moves.size(); ++i) {
            moves[i] = {.emitter = static_cast<std::int64_t>(i),
                        .mode = Mode::exploit,
                        .objectives = {Objective::only_fitness()}};
        }
        return moves;
    }

    [[nodiscard]] bool can_overlap(State const& state) const override { return !halves(state); }

    void evaluated(State& state, std::vector<Measured> const& measured,
                   std::vector<InsertionResult> const& /*inserted*/) const override
    {
        if (!halves(state)) {
            return;
        }
        std::vector<std::size_t> order(measured.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(
            order, [&](auto a, auto b) { return measured[a].fitness > measured[b].fitness; });
        order.resize((order.size() + 1) / 2);
        std::ranges::sort(order);
        std::vector<Emitter> kept;
        for (auto const index : order) {
            kept.push_back(std::move(state.emitters[index]));
        }
        state.emitters = std::move(kept);
    }

  private:
    [[nodiscard]] bool halves(State const& state) const
    {
        auto const generation = state.generation.value();
        return state.emitters.size() > 1 && generation > 0
               && generation % problem_->settings.algorithm.start_generations == 0;
    }

    SearchProblemPtr problem_;
};

}  // namespace

AlgorithmType plain_es()
{
    return {.known = {"es", es_search_keys({KeyGroup::starts})},
            .make = make_es_search<PlainEs>,
            .size = [](AlgorithmSettings const& settings) {
                auto const starts = settings.starts;
                return SearchSize{.initial = starts,
                                  .optimised = starts,
                                  .populations = starts,
                                  .measured = starts,
                                  .halved_every = settings.start_generations};
            }};
}

}  // namespace mees
