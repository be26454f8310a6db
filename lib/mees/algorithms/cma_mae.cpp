#include "mees/algorithms/detail/emitter_optimiser.hpp"
#include "mees/algorithms/detail/improvement.hpp"
#include "mees/core/error.hpp"

#include <algorithm>
#include <utility>

namespace mees {
namespace {

/// CMA-MAE and CMA-ME with OpenAI-ES or separable CMA-ES as their optimiser (Tjanaka et al., arXiv
/// 2210.02622): several emitters, each an ES step a generation on its offspring's improvement of
/// the cells' thresholds. Every offspring is evaluated n_eval times and offered to the map. An
/// emitter that has come to rest restarts from a cell drawn uniformly. Keeps no novelty archive.
class CmaMae final : public Algorithm {
  public:
    CmaMae(SearchProblemPtr problem, State state, ThresholdRule rule)
        : problem_{std::move(problem)}, state_{std::move(state)}, rule_{rule}
    {
        prepare_emitters();
    }

    [[nodiscard]] bool finished() const override
    {
        return state_.evaluated && state_.generation.value() >= problem_->settings.run.generations;
    }
    [[nodiscard]] Batch ask() const override;
    void tell(Batch const& batch, BatchResult const& result, NoiseSource& noise) override;
    [[nodiscard]] State const& state() const override { return state_; }

  private:
    [[nodiscard]] EmitterStep stepped(std::size_t emitter, Group const& group,
                                      ComparedMembers const& members, NoiseSource& noise) const;
    [[nodiscard]] std::vector<std::optional<CellId>> parents() const;
    void prepare_emitters();

    SearchProblemPtr problem_;
    State state_;
    ThresholdRule rule_;
};

void CmaMae::prepare_emitters()
{
    for (auto& emitter : state_.emitters) {
        prepare_optimiser(*problem_, emitter);
    }
}

Batch CmaMae::ask() const
{
    if (!state_.evaluated) {
        return initial_batch(*problem_, state_);
    }
    Batch batch;
    batch.seed = static_cast<std::uint64_t>(problem_->settings.run.seed);
    for (std::size_t i = 0; i < state_.emitters.size(); ++i) {
        batch.groups.push_back(
            emitter_offspring(*problem_, state_, state_.emitters[i], static_cast<std::int64_t>(i)));
    }
    return batch;
}

std::vector<std::optional<CellId>> CmaMae::parents() const
{
    if (!state_.evaluated) {
        return initial_parents(state_);
    }
    std::vector<std::optional<CellId>> cells;
    for (auto const& emitter : state_.emitters) {
        cells.push_back(emitter.parent_cell);
    }
    return cells;
}

EmitterStep CmaMae::stepped(std::size_t emitter, Group const& group, ComparedMembers const& members,
                            NoiseSource& noise) const
{
    auto const values = ranking_values(rule_, members.improvements);
    if (is_flat(values)) {
        return {state_.emitters[emitter], true};
    }
    bool const none_accepted = std::ranges::none_of(members.improvements, &Improvement::accepted);
    auto step = emitter_step(*problem_, state_.emitters[emitter], group, values,
                             state_.generation.next(), noise);
    step.has_ended = step.has_ended || (!rule_.floor && none_accepted);
    return step;
}

void CmaMae::tell(Batch const& batch, BatchResult const& result, NoiseSource& noise)
{
    expects(static_cast<std::int64_t>(result.outcomes.size()) == batch.episodes(),
            "an outcome for every episode");
    auto const groups = compare_members(state_, rule_, batch, result);
    std::vector<EmitterStep> next;
    for (std::size_t i = 0; i < state_.emitters.size() && state_.evaluated; ++i) {
        next.push_back(stepped(i, batch.groups[i], groups[i], noise));
    }
    // From here on nothing throws: a step that diverges leaves the state as it was.
    auto const cells = parents();
    EpisodeRange const all{0, batch.episodes()};
    count_episodes(state_, result, all);
    merge_observations(state_, result, all);
    if (state_.evaluated) {
        ++state_.generation;
    }
    offer_members(state_, *problem_, rule_, batch, groups, cells, noise);
    if (state_.evaluated) {
        for (std::size_t i = 0; i < next.size(); ++i) {
            state_.emitters[i] = next[i].has_ended ? emitter_from_map(*problem_, state_,
                                                                      static_cast<std::int64_t>(i))
                                                   : std::move(next[i].emitter);
        }
    } else {
        state_.emitters.assign(static_cast<std::size_t>(problem_->settings.algorithm.emitters),
                               state_.emitters.front());
    }
    prepare_emitters();
    state_.candidates.clear();
    state_.evaluated = true;
}

AlgorithmType cma_type(std::string name, std::vector<KeyGroup> keys,
                       ThresholdRule (*rule)(AlgorithmSettings const&))
{
    keys.insert(keys.end(), {KeyGroup::offspring, KeyGroup::gradient, KeyGroup::directions,
                             KeyGroup::emitters, KeyGroup::improvement});
    return {.known = {std::move(name), std::move(keys)},
            .make =
                [rule](SearchProblemPtr problem, State state) {
                    auto const thresholds = rule(problem->settings.algorithm);
                    return std::make_unique<CmaMae>(std::move(problem), std::move(state),
                                                    thresholds);
                },
            .size =
                [](AlgorithmSettings const& settings) {
                    SearchSize size{.optimised = settings.emitters,
                                    .populations = settings.emitters,
                                    .measured = 0,
                                    .measures_offspring = true};
                    if (settings.emitter_optimizer == EmitterOptimiser::sep_cma_es) {
                        size.parameter_bytes = 4 + 3 * 8;
                    }
                    return size;
                }};
}

}  // namespace

AlgorithmType cma_mae()
{
    return cma_type("cma-mae", {KeyGroup::thresholds, KeyGroup::utilities},
                    [](AlgorithmSettings const& settings) {
                        return ThresholdRule{settings.threshold_rate, settings.threshold_floor};
                    });
}

AlgorithmType cma_me()
{
    return cma_type("cma-me", {}, [](AlgorithmSettings const& /*settings*/) {
        return ThresholdRule{1, {}};
    });
}

}  // namespace mees
