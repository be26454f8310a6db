#include "mees/algorithms/algorithm.hpp"
#include "mees/algorithms/archive_update.hpp"
#include "mees/algorithms/detail/groups.hpp"
#include "mees/algorithms/detail/improvement.hpp"
#include "mees/core/error.hpp"
#include "mees/qd/cell_sampler.hpp"

#include <utility>

namespace mees {
namespace {

/// ME-GA, the paper's control: each generation, children of a parent cell drawn uniformly (or a
/// cell for each child) are evaluated n_eval times each and all offered to the map. Keeps no
/// novelty archive. Holds no copy of the map; a child's parameters are made only if it enters.
class MeGa final : public Algorithm {
  public:
    MeGa(SearchProblemPtr problem, State state);

    [[nodiscard]] bool finished() const override;
    [[nodiscard]] Batch ask() const override;
    void tell(Batch const& batch, BatchResult const& result, NoiseSource& noise) override;
    [[nodiscard]] State const& state() const override { return state_; }

  private:
    struct Parents {
        CellId first;
        std::optional<CellId> second;  ///< where the line of iso+line leads
    };
    [[nodiscard]] Parents draw_parents(std::int64_t index) const;
    [[nodiscard]] Group children(Parents const& parents, std::int64_t first,
                                 std::int64_t count) const;
    [[nodiscard]] std::vector<Parents> parents_of_groups() const;

    SearchProblemPtr problem_;
    State state_;
};

MeGa::MeGa(SearchProblemPtr problem, State state)
    : problem_{std::move(problem)}, state_{std::move(state)}
{
}

bool MeGa::finished() const
{
    return state_.evaluated && state_.generation.value() >= problem_->settings.run.generations;
}

MeGa::Parents MeGa::draw_parents(std::int64_t index) const
{
    auto stream = run_stream(*problem_, Purpose::cell_sampling, state_.generation.next(), index);
    auto const cells = uniform_distribution(state_.map);
    Parents parents{sample(cells, stream), std::nullopt};
    switch (problem_->settings.algorithm.variation) {
        case Variation::gaussian:
            break;
        case Variation::iso_line:
            parents.second = sample(cells, stream);
            break;
    }
    return parents;
}

std::vector<MeGa::Parents> MeGa::parents_of_groups() const
{
    auto const& settings = problem_->settings.algorithm;
    std::int64_t groups = 1;
    switch (settings.parent_cells) {
        case ParentCells::per_generation:
            break;
        case ParentCells::per_child:
            groups = settings.children;
            break;
    }
    std::vector<Parents> parents;
    for (std::int64_t i = 0; i < groups; ++i) {
        parents.push_back(draw_parents(i));
    }
    return parents;
}

Group MeGa::children(Parents const& parents, std::int64_t first, std::int64_t count) const
{
    auto const& settings = problem_->settings;
    auto const generation = state_.generation.next();
    auto group = evaluation_group(
        *problem_,
        make_controller(*problem_, state_,
                        state_.map.find(parents.first)->controller->parameters.values()),
        generation, first);
    group.sigma = static_cast<float>(settings.es.sigma);
    group.observation_fraction = observation_fraction(*problem_);
    group.offsets = draw_offsets(*problem_, generation, first, count);
    if (parents.second) {
        group.basis = {std::make_shared<Eigen::VectorXf const>(
            state_.map.find(*parents.second)->controller->parameters.values()
            - group.centre->parameters.values())};
        for (std::int64_t i = 0; i < count; ++i) {
            auto stream = run_stream(*problem_, Purpose::variation, generation, first + i);
            group.coefficients.push_back(
                static_cast<float>(settings.algorithm.line_sigma * stream.normal()));
        }
    }
    return group;
}

Batch MeGa::ask() const
{
    if (!state_.evaluated) {
        return initial_batch(*problem_, state_);
    }
    Batch batch;
    batch.seed = static_cast<std::uint64_t>(problem_->settings.run.seed);
    auto const parents = parents_of_groups();
    auto const children_each =
        problem_->settings.algorithm.children / static_cast<std::int64_t>(parents.size());
    for (std::size_t i = 0; i < parents.size(); ++i) {
        batch.groups.push_back(
            children(parents[i], static_cast<std::int64_t>(i) * children_each, children_each));
    }
    return batch;
}

void MeGa::tell(Batch const& batch, BatchResult const& result, NoiseSource& noise)
{
    expects(static_cast<std::int64_t>(result.outcomes.size()) == batch.episodes(),
            "an outcome for every episode");
    bool const initial = !state_.evaluated;
    auto const parents = initial ? std::vector<Parents>{} : parents_of_groups();
    if (!initial) {
        ++state_.generation;
    }
    GenerationSummary summary;
    bool first_child = true;
    std::int64_t episode = 0;
    for (std::size_t g = 0; g < batch.groups.size(); ++g) {
        auto const& group = batch.groups[g];
        auto const parent_cell = initial ? std::nullopt : std::optional{parents[g].first};
        for (std::int64_t member = 0; member < group.members(); ++member) {
            EpisodeRange const range{episode, group.repeats};
            episode += range.count;
            auto const measured = measure(result, range);
            auto const inserted = offer_member(
                state_, group, member, make_elite(state_, nullptr, measured, parent_cell), noise);
            summary.insertions += inserted.outcome == InsertionOutcome::rejected ? 0 : 1;
            if (first_child || measured.fitness > summary.measured.fitness) {
                summary.measured = measured;
                summary.inserted = inserted;
                summary.parent_cell = parent_cell;
                first_child = false;
            }
        }
    }
    EpisodeRange const all{0, batch.episodes()};
    count_episodes(state_, result, all);
    merge_observations(state_, result, all);
    state_.emitters.clear();
    state_.candidates.clear();
    state_.evaluated = true;
    record_generation(state_, *problem_, summary);
}

}  // namespace

AlgorithmType me_ga()
{
    return {.known = {"me-ga", {{KeyGroup::children, KeyGroup::variation}}},
            .make =
                [](SearchProblemPtr problem, State state) {
                    return std::make_unique<MeGa>(std::move(problem), std::move(state));
                },
            .size =
                [](AlgorithmSettings const& settings) {
                    return SearchSize{
                        .optimised = 0, .populations = 0, .measured = settings.children};
                }};
}

}  // namespace mees
