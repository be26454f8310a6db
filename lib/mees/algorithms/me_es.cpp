#include "mees/algorithms/detail/groups.hpp"
#include "mees/algorithms/es_search.hpp"
#include "mees/qd/cell_sampler.hpp"

#include <algorithm>

namespace mees {
namespace {

/// ME-ES (paper, algorithm 1): every n_optim_gens generations a mode is chosen and a cell sampled.
class MeEs final : public Strategy {
  public:
    explicit MeEs(SearchProblemPtr problem) : problem_{std::move(problem)}
    {
        for (auto const kind : problem_->settings.algorithm.objectives) {
            objectives_.push_back(objective_of(kind));
        }
    }

    [[nodiscard]] std::vector<Move> next(State const& state) const override
    {
        if (begins_cycle(state)) {
            auto const mode = cycle_mode(state);
            return {{.copied_from = sample_parent(*problem_, state, mode, 0),
                     .mode = mode,
                     .objectives = objectives(mode)}};
        }
        auto const mode = state.emitters.front().mode;
        return {{.mode = mode, .objectives = objectives(mode)}};
    }

    [[nodiscard]] bool can_overlap(State const& state) const override
    {
        return !begins_cycle(state) && objectives_.size() <= 1;
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
        if (!objectives_.empty()) {
            return objectives_;
        }
        return {mode == Mode::explore ? Objective::only_novelty() : Objective::only_fitness()};
    }

    SearchProblemPtr problem_;
    std::vector<Objective> objectives_;
};

}  // namespace

CellId sample_parent(SearchProblem const& problem, State const& state, Mode mode,
                     std::int64_t index)
{
    auto const& settings = problem.settings.algorithm;
    auto stream = run_stream(problem, Purpose::cell_sampling, state.generation.next(), index);
    auto const distribution = mode == Mode::explore
                                  ? explore_distribution(state.map, settings.explore_cells)
                                  : exploit_distribution(state.map, settings.exploit_cells);
    return sample(distribution, stream);
}

AlgorithmType me_es()
{
    return {.known = {"me-es", es_search_keys({KeyGroup::modes, KeyGroup::parent_cells})},
            .make = make_es_search<MeEs>,
            .size = [](AlgorithmSettings const& settings) {
                auto const candidates = std::max<std::int64_t>(1, std::ssize(settings.objectives));
                return SearchSize{.optimised = candidates, .measured = candidates};
            }};
}

}  // namespace mees
