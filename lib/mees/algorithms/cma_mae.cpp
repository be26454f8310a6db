#include "mees/algorithms/archive_update.hpp"
#include "mees/algorithms/detail/groups.hpp"
#include "mees/algorithms/thresholds.hpp"
#include "mees/core/error.hpp"
#include "mees/es/gradient.hpp"
#include "mees/qd/cell_sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mees {
namespace {

/// An emitter whose relative change is smaller has come to rest (Tjanaka et al.).
constexpr double smallest_change = 1e-9;
/// Offspring whose ranking values differ by less are equal.
constexpr double flat = 1e-12;

/// In index order: the same bits whatever vector registers there are.
double squared_length(Eigen::VectorXf const& values)
{
    double sum = 0;
    for (float const value : values) {
        sum += static_cast<double>(value) * static_cast<double>(value);
    }
    return sum;
}

/// CMA-MAE and CMA-ME with OpenAI-ES as their optimiser (Tjanaka et al., arXiv 2210.02622): several
/// emitters, each an ES step a generation on its offspring's improvement of the cells' thresholds.
/// Every offspring is evaluated n_eval times and offered to the map. An emitter that has come to
/// rest restarts from a cell drawn uniformly. Keeps no novelty archive.
class CmaMae final : public Algorithm {
  public:
    CmaMae(SearchProblemPtr problem, State state, ThresholdRule rule)
        : problem_{std::move(problem)}, state_{std::move(state)}, rule_{rule}
    {
    }

    [[nodiscard]] bool finished() const override
    {
        return state_.evaluated && state_.generation.value() >= problem_->settings.run.generations;
    }
    [[nodiscard]] Batch ask() const override;
    void tell(Batch const& batch, BatchResult const& result, NoiseSource& noise) override;
    [[nodiscard]] State const& state() const override { return state_; }

  private:
    /// The members of one group, compared with the thresholds from before the generation.
    struct Members {
        std::vector<Measured> measured;
        std::vector<CellId> cells;
        std::vector<double> fitness;
        std::vector<Improvement> improvements;
    };

    [[nodiscard]] std::vector<Members> members_of(Batch const& batch,
                                                  BatchResult const& result) const;
    void offer(Batch const& batch, std::vector<Members> const& groups, NoiseSource const& noise);
    /// The emitter after its step, and whether it is to restart.
    [[nodiscard]] std::pair<Emitter, bool> stepped(Emitter emitter, Group const& group,
                                                   Members const& members,
                                                   NoiseSource& noise) const;
    [[nodiscard]] Emitter restarted(std::int64_t emitter) const;
    [[nodiscard]] std::optional<CellId> parent_cell(std::size_t group) const;

    SearchProblemPtr problem_;
    State state_;
    ThresholdRule rule_;
};

Batch CmaMae::ask() const
{
    auto const& settings = problem_->settings;
    Batch batch;
    batch.seed = static_cast<std::uint64_t>(settings.run.seed);
    std::int64_t slot = 0;
    if (!state_.evaluated) {
        for (auto const& emitter : state_.emitters) {
            batch.groups.push_back(
                evaluation_group(*problem_, make_controller(*problem_, state_, emitter.theta),
                                 state_.generation, slot++));
        }
        for (auto const& candidate : state_.candidates) {
            batch.groups.push_back(
                evaluation_group(*problem_, candidate.controller, state_.generation, slot++));
        }
        return batch;
    }
    for (auto const& emitter : state_.emitters) {
        auto group = offspring_group(*problem_, make_controller(*problem_, state_, emitter.theta),
                                     state_.generation.next(), slot, emitter.steps);
        group.kind = EpisodeKind::evaluation;
        group.action_noise = 0;
        group.repeats = static_cast<std::int32_t>(settings.algorithm.n_eval);
        group.first_stream = slot * settings.es.population * settings.algorithm.n_eval;
        batch.groups.push_back(std::move(group));
        ++slot;
    }
    return batch;
}

std::vector<CmaMae::Members> CmaMae::members_of(Batch const& batch, BatchResult const& result) const
{
    std::vector<Members> groups;
    std::int64_t episode = 0;
    for (auto const& group : batch.groups) {
        Members members;
        for (std::int64_t i = 0; i < group.members(); ++i) {
            members.measured.push_back(measure(result, {episode, group.repeats}));
            episode += group.repeats;
            members.cells.push_back(state_.map.space().cell_of(members.measured.back().bc));
            members.fitness.push_back(members.measured.back().fitness);
        }
        members.improvements =
            improvements(rule_, state_.thresholds, members.cells, members.fitness);
        groups.push_back(std::move(members));
    }
    return groups;
}

std::optional<CellId> CmaMae::parent_cell(std::size_t group) const
{
    auto const emitters = state_.emitters.size();
    return group < emitters ? state_.emitters[group].parent_cell
                            : state_.candidates[group - emitters].parent_cell;
}

/// Offers all members to the map and records the generation; the thresholds follow.
void CmaMae::offer(Batch const& batch, std::vector<Members> const& groups, NoiseSource const& noise)
{
    GenerationSummary summary;
    std::vector<CellId> cells;
    std::vector<double> fitness;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        auto const& members = groups[g];
        cells.insert(cells.end(), members.cells.begin(), members.cells.end());
        fitness.insert(fitness.end(), members.fitness.begin(), members.fitness.end());
        for (std::size_t i = 0; i < members.cells.size(); ++i) {
            InsertionResult inserted{.cell = members.cells[i]};
            auto const* rival = state_.map.find(members.cells[i]);
            if (rival == nullptr || members.fitness[i] > rival->fitness) {
                auto controller = controller_of_member(
                    batch.groups[g], static_cast<std::int64_t>(i), noise.values());
                if (controller->parameters.allFinite()) {
                    inserted = state_.map.insert(make_elite(state_, std::move(controller),
                                                            members.measured[i], parent_cell(g)));
                    ++summary.insertions;
                } else {
                    ++state_.diverged;
                }
            }
            bool const first = g == 0 && i == 0;
            if (first || members.fitness[i] > summary.measured.fitness) {
                summary.measured = members.measured[i];
                summary.inserted = inserted;
                summary.parent_cell = parent_cell(g);
            }
        }
    }
    update_thresholds(rule_, state_.thresholds, cells, fitness);
    record_generation(state_, *problem_, summary);
}

std::pair<Emitter, bool> CmaMae::stepped(Emitter emitter, Group const& group,
                                         Members const& members, NoiseSource& noise) const
{
    auto const& es = problem_->settings.es;
    auto const values = ranking_values(rule_, members.improvements);
    auto const weights = pair_weights(centred_ranks(values));
    auto optimiser = optimiser_settings(es);
    optimiser.learning_rate =
        decayed(es.learning_rate, es.learning_rate_decay, es.learning_rate_limit, emitter.steps);
    ++emitter.steps;
    bool const none_accepted = std::ranges::none_of(members.improvements, &Improvement::accepted);
    if (std::ranges::max(values) - std::ranges::min(values) < flat) {
        return {std::move(emitter), true};
    }
    auto ascent = noise.weighted_sum(group.offsets, weights, problem_->network.parameter_count());
    ascent /= static_cast<float>(static_cast<double>(weights.size())
                                 * (es.divide_by_sigma ? static_cast<double>(group.sigma) : 1.0));
    auto const before = emitter.theta;
    emitter.theta = optimiser_step(optimiser, emitter.optimiser, before, ascent);
    require_finite(emitter, state_.generation.next());
    bool const rests = squared_length(emitter.theta - before)
                       < smallest_change * smallest_change * squared_length(emitter.theta);
    return {std::move(emitter), rests || (!rule_.floor && none_accepted)};
}

Emitter CmaMae::restarted(std::int64_t emitter) const
{
    auto stream = run_stream(*problem_, Purpose::cell_sampling, state_.generation, emitter);
    Emitter start;
    start.parent_cell = sample(uniform_distribution(state_.map), stream);
    start.theta = state_.map.find(*start.parent_cell)->controller->parameters;
    return start;
}

void CmaMae::tell(Batch const& batch, BatchResult const& result, NoiseSource& noise)
{
    expects(static_cast<std::int64_t>(result.outcomes.size()) == batch.episodes(),
            "an outcome for every episode");
    auto const groups = members_of(batch, result);
    std::vector<std::pair<Emitter, bool>> next;
    for (std::size_t i = 0; i < state_.emitters.size() && state_.evaluated; ++i) {
        next.push_back(stepped(state_.emitters[i], batch.groups[i], groups[i], noise));
    }
    // From here on nothing throws: a step that diverges leaves the state as it was.
    EpisodeRange const all{0, batch.episodes()};
    count_episodes(state_, result, all);
    merge_observations(state_, result, all);
    if (state_.evaluated) {
        ++state_.generation;
    }
    offer(batch, groups, noise);
    if (state_.evaluated) {
        for (std::size_t i = 0; i < next.size(); ++i) {
            state_.emitters[i] =
                next[i].second ? restarted(static_cast<std::int64_t>(i)) : std::move(next[i].first);
        }
    } else {
        state_.emitters.assign(static_cast<std::size_t>(problem_->settings.algorithm.emitters),
                               state_.emitters.front());
    }
    state_.candidates.clear();
    state_.evaluated = true;
}

/// Keys of the ES step that have no meaning where offspring are measured like elites.
void check_cma(Settings const& settings)
{
    EsSettings const defaults;
    auto const& es = settings.es;
    auto const refuse = [&](char const* key, char const* why, std::string const& remedy) {
        throw ConfigError{
            fmt::format("invalid {} with algorithm.name = \"{}\"", key, settings.algorithm.name),
            why, remedy};
    };
    if (settings.algorithm.confirm_offspring != 0) {
        refuse("algorithm.confirm_offspring",
               "every offspring is evaluated algorithm.n_eval times and offered to the map",
               "Remove algorithm.confirm_offspring.");
    }
    if (es.episodes_per_offspring != defaults.episodes_per_offspring) {
        refuse("es.episodes_per_offspring", "algorithm.n_eval is the number of their episodes",
               "Set algorithm.n_eval instead.");
    }
    if (es.steps_per_generation != defaults.steps_per_generation) {
        refuse("es.steps_per_generation", "a generation has one population for each emitter",
               "Remove es.steps_per_generation.");
    }
    if (es.utility != defaults.utility || es.direction_fraction != defaults.direction_fraction) {
        refuse(es.utility != defaults.utility ? "es.utility" : "es.direction_fraction",
               "the emitters use the ranks of all offspring", "Remove it.");
    }
}

AlgorithmType cma_type(std::string name, std::vector<KeyGroup> keys,
                       ThresholdRule (*rule)(AlgorithmSettings const&))
{
    keys.insert(keys.end(), {KeyGroup::gradient, KeyGroup::emitters});
    return {.known = {std::move(name), std::move(keys)},
            .make =
                [rule](SearchProblemPtr problem, State state) {
                    auto const thresholds = rule(problem->settings.algorithm);
                    return std::make_unique<CmaMae>(std::move(problem), std::move(state),
                                                    thresholds);
                },
            .size =
                [](AlgorithmSettings const& settings) {
                    return SearchSize{.optimised = settings.emitters,
                                      .populations = settings.emitters,
                                      .measured = 0,
                                      .measures_offspring = true};
                },
            .check = check_cma};
}

}  // namespace

AlgorithmType cma_mae()
{
    return cma_type("cma-mae", {KeyGroup::thresholds}, [](AlgorithmSettings const& settings) {
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
