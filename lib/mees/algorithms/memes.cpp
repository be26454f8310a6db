#include "mees/algorithms/es_search.hpp"
#include "mees/core/error.hpp"

#include <fmt/format.h>

#include <cmath>

namespace mees {
namespace {

std::int64_t explorers_of(AlgorithmSettings const& settings)
{
    return std::llround(settings.explore_share * static_cast<double>(settings.emitters));
}

/// MEMES (Flageat, Lim and Cully, arXiv 2303.06137): several ES emitters in parallel, the first of
/// them exploring and the others exploiting; each restarts at a cell of the map after
/// `emitter_patience` generations in which it did not enter the map.
class Memes final : public Strategy {
  public:
    explicit Memes(SearchProblemPtr problem) : problem_{std::move(problem)} {}

    [[nodiscard]] std::vector<Move> next(State const& state) const override
    {
        auto const& settings = problem_->settings.algorithm;
        auto const explorers = explorers_of(settings);
        std::vector<Move> moves;
        for (std::int64_t i = 0; i < settings.emitters; ++i) {
            Move move;
            move.emitter = i;
            move.mode = i < explorers ? Mode::explore : Mode::exploit;
            move.objectives = {move.mode == Mode::explore ? Objective::only_novelty()
                                                          : Objective::only_fitness()};
            if (restarts(state, i)) {
                restart_from_map(*problem_, state, move);
            }
            moves.push_back(move);
        }
        return moves;
    }

    [[nodiscard]] bool can_overlap(State const& /*state*/) const override { return false; }

  private:
    [[nodiscard]] bool restarts(State const& state, std::int64_t index) const
    {
        return state.generation.value() == 0
               || state.emitters[static_cast<std::size_t>(index)].stagnation
                      >= problem_->settings.algorithm.emitter_patience;
    }

    SearchProblemPtr problem_;
};

/// A share of explorers that no number of the emitters comes close to.
void check_share(AlgorithmSettings const& algorithm)
{
    auto const explorers = explorers_of(algorithm);
    bool const none = explorers == 0 && algorithm.explore_share > 0;
    bool const all = explorers == algorithm.emitters && algorithm.explore_share < 1;
    if (algorithm.emitters > 1 && (none || all)) {
        throw ConfigError{
            fmt::format("invalid algorithm.explore_share = {}", algorithm.explore_share),
            fmt::format("{} of {} emitters would explore", none ? "none" : "all",
                        algorithm.emitters),
            fmt::format("Set it to {}, or algorithm.emitters to a larger value.", none ? 0 : 1)};
    }
}

void check_memes(Settings const& settings)
{
    auto const& algorithm = settings.algorithm;
    check_share(algorithm);
    if (algorithm.novelty_window > 0 && algorithm.novelty_window < algorithm.novelty_k) {
        throw ConfigError{
            fmt::format("invalid algorithm.novelty_window = {}", algorithm.novelty_window),
            fmt::format("novelty is a mean over algorithm.novelty_k = {} behaviours of the window",
                        algorithm.novelty_k),
            fmt::format("Set algorithm.novelty_window to at least {}, or to 0 for all behaviours.",
                        algorithm.novelty_k)};
    }
}

}  // namespace

AlgorithmType memes()
{
    return {.known = {"memes", es_search_keys({KeyGroup::parent_cells, KeyGroup::chains,
                                               KeyGroup::emitters, KeyGroup::memes})},
            .make = make_es_search<Memes>,
            .size =
                [](AlgorithmSettings const& settings) {
                    return SearchSize{.optimised = settings.emitters,
                                      .populations = settings.emitters,
                                      .measured = settings.emitters};
                },
            .check = check_memes};
}

}  // namespace mees
