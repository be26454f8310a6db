#include "mees/algorithms/detail/groups.hpp"
#include "mees/algorithms/es_search.hpp"
#include "mees/qd/cell_sampler.hpp"

#include <algorithm>

namespace mees {
namespace {

/// ME-ES (paper, algorithm 1): every n_optim_gens generations a mode is chosen and a cell sampled.
class MeEs final : public Strategy {
  public:
    explicit MeEs(SearchProblemPtr problem) : problem_{std::move(problem)} {}

    [[nodiscard]] std::vector<Move> next(State const& state) const override
    {
        bool const begins = begins_cycle(state);
        auto const mode = begins ? cycle_mode(state) : state.emitters.front().mode;
        Move move{.mode = mode, .objectives = objectives(mode)};
        if (begins) {
            restart_from_map(*problem_, state, move);
        }
        return {move};
    }

    [[nodiscard]] bool can_overlap(State const& state) const override
    {
        return !begins_cycle(state) && problem_->settings.algorithm.objectives.size() <= 1;
    }

    /// Candidates do not depend on the order of the objectives.
    [[nodiscard]] bool compares_with_same_archive() const override { return true; }

    /// Of several candidates the fittest continues when exploiting, the most novel when
    /// exploring.
    void evaluated(State& state, std::vector<Measured> const& measured,
                   std::vector<InsertionResult> const& inserted) const override
    {
        if (measured.size() < 2) {
            return;
        }
        auto const winner =
            state.emitters.front().mode == Mode::explore
                ? std::ranges::max_element(inserted, {}, &InsertionResult::novelty)
                      - inserted.begin()
                : std::ranges::max_element(measured, {}, &Measured::fitness) - measured.begin();
        auto const carried = state.emitters[static_cast<std::size_t>(winner)];
        state.emitters.assign(1, carried);
    }

  private:
    [[nodiscard]] bool begins_cycle(State const& state) const
    {
        return state.generation.value() % problem_->settings.algorithm.n_optim_gens == 0;
    }

    [[nodiscard]] Mode cycle_mode(State const& state) const
    {
        auto const& settings = problem_->settings.algorithm;
        switch (settings.mode) {
            case SearchMode::explore:
                return Mode::explore;
            case SearchMode::exploit:
                return Mode::exploit;
            case SearchMode::explore_exploit:
                break;
        }
        switch (settings.mode_schedule) {
            case ModeSchedule::alternate:
                break;
            case ModeSchedule::coin: {
                auto stream = run_stream(*problem_, Purpose::mode, state.generation.next());
                return stream.uniform() < 1 - settings.explore_probability ? Mode::exploit
                                                                           : Mode::explore;
            }
        }
        auto const cycle = state.generation.value() / settings.n_optim_gens;
        return cycle % 2 == 0 ? Mode::exploit : Mode::explore;
    }

    [[nodiscard]] std::vector<Objective> objectives(Mode mode) const
    {
        if (auto const& several = problem_->settings.algorithm.objectives; !several.empty()) {
            return several;
        }
        return {mode == Mode::explore ? Objective::only_novelty() : Objective::only_fitness()};
    }

    SearchProblemPtr problem_;
};

}  // namespace

void restart_from_map(SearchProblem const& problem, State const& state, Move& move)
{
    auto const& settings = problem.settings.algorithm;
    auto const generation = state.generation.next();
    auto stream = run_stream(problem, Purpose::cell_sampling, generation, move.emitter);
    auto const distribution = move.mode == Mode::explore
                                  ? explore_distribution(state.map, settings.explore_cells)
                                  : exploit_distribution(state.map, settings.exploit_cells);
    move.copied_from = sample(distribution, stream);
    if (links_of(state.map.find(*move.copied_from)->controller) < settings.chain_links) {
        auto coin = run_stream(problem, Purpose::chain_link, generation, move.emitter);
        move.appends = coin.uniform() < settings.chain_append;
    }
}

AlgorithmType me_es()
{
    return {.known = {"me-es",
                      es_search_keys({KeyGroup::modes, KeyGroup::parent_cells, KeyGroup::chains})},
            .make = make_es_search<MeEs>,
            .size = [](AlgorithmSettings const& settings) {
                auto const candidates = std::max<std::int64_t>(1, std::ssize(settings.objectives));
                return SearchSize{.optimised = candidates, .measured = candidates};
            }};
}

}  // namespace mees
