#include "mees/algorithms/detail/groups.hpp"
#include "mees/algorithms/detail/improvement.hpp"
#include "mees/algorithms/objective.hpp"
#include "mees/core/error.hpp"
#include "mees/core/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mees {
namespace {

/// Improvement of the map, as in CMA-ME.
constexpr ThresholdRule improvement_rule{1, {}};

/// `values` at length 1 (0 remains 0).
Eigen::VectorXf with_length_one(Eigen::VectorXf const& values)
{
    double const squares = sum_of_squares(values);
    return squares > 0 ? Eigen::VectorXf{values / static_cast<float>(std::sqrt(squares))} : values;
}

/// CMA-MEGA with gradients estimated by ES (Tjanaka et al., arXiv 2202.03666). A generation has two
/// batches: mirrored offspring of theta, from which the gradients of fitness and of each BC are
/// estimated; then theta and its children along these gradients, which are measured and offered to
/// the map. A CMA-ES adapts the distribution of the children's coefficients to their improvement of
/// the map. Keeps no novelty archive.
class CmaMega final : public Algorithm {
  public:
    CmaMega(SearchProblemPtr problem, State state)
        : problem_{std::move(problem)}, state_{std::move(state)}
    {
        prepare_coefficients();
    }

    [[nodiscard]] bool finished() const override
    {
        return state_.evaluated && state_.generation.value() >= problem_->settings.run.generations;
    }
    [[nodiscard]] Batch ask() const override;
    void tell(Batch const& batch, BatchResult const& result, NoiseSource& noise) override;
    [[nodiscard]] State const& state() const override { return state_; }

  private:
    /// The first batch of a generation: not part of the state, as it can be asked for again.
    struct Estimate {
        BatchResult result;
        std::vector<ParametersPtr> gradients;
    };

    [[nodiscard]] std::int64_t coefficients() const { return problem_->space.dimensions() + 1; }
    [[nodiscard]] Batch samples() const;
    [[nodiscard]] Batch children() const;
    [[nodiscard]] std::vector<ParametersPtr> gradients(Group const& group,
                                                       BatchResult const& result,
                                                       NoiseSource& noise) const;
    /// Theta and the coefficients' distribution after the children; nothing if they have to
    /// restart.
    [[nodiscard]] std::optional<Emitter> stepped(Group const& group,
                                                 ComparedMembers const& members) const;
    void absorb(BatchResult const& result);
    void prepare_coefficients();

    SearchProblemPtr problem_;
    State state_;
    std::optional<Estimate> pending_;
};

void CmaMega::prepare_coefficients()
{
    expects(!state_.emitters.empty(), "an emitter");
    auto& cma = state_.emitters.front().cma;
    if (cma.covariance.size() == 0) {
        cma = initial_cma(coefficients(), problem_->settings.algorithm.coefficient_sigma);
    }
}

Batch CmaMega::ask() const
{
    if (!state_.evaluated) {
        return initial_batch(*problem_, state_);
    }
    return pending_ ? children() : samples();
}

Batch CmaMega::samples() const
{
    auto const& emitter = state_.emitters.front();
    Batch batch;
    batch.seed = static_cast<std::uint64_t>(problem_->settings.run.seed);
    batch.groups.push_back(offspring_group(*problem_,
                                           make_controller(*problem_, state_, emitter.theta),
                                           state_.generation.next(), 0, emitter.steps));
    return batch;
}

Batch CmaMega::children() const
{
    auto const& emitter = state_.emitters.front();
    auto const generation = state_.generation.next();
    auto const theta = make_controller(*problem_, state_, emitter.theta);
    Batch batch;
    batch.seed = static_cast<std::uint64_t>(problem_->settings.run.seed);
    batch.groups.push_back(evaluation_group(*problem_, theta, generation, 0));
    auto group = evaluation_group(*problem_, theta, generation, 1);
    group.basis = pending_->gradients;
    auto const root = sampling_matrix(emitter.cma);
    for (std::int64_t i = 0; i < problem_->settings.algorithm.children; ++i) {
        auto stream = run_stream(*problem_, Purpose::variation, generation, i);
        Eigen::VectorXd normals(coefficients());
        for (auto& value : normals) {
            value = stream.normal();
        }
        Eigen::VectorXd const child = emitter.cma.mean + emitter.cma.sigma * (root * normals);
        for (double const value : child) {
            group.coefficients.push_back(static_cast<float>(value));
        }
    }
    batch.groups.push_back(std::move(group));
    return batch;
}

std::vector<ParametersPtr> CmaMega::gradients(Group const& group, BatchResult const& result,
                                              NoiseSource& noise) const
{
    OffspringValues samples;
    append_offspring(samples, result, {0, group.episodes()}, group.repeats);
    std::vector<std::vector<double>> values{samples.objective};
    for (std::int64_t axis = 0; axis < samples.bc_size; ++axis) {
        auto& one = values.emplace_back();
        for (std::size_t i = 0; i < samples.size(); ++i) {
            one.push_back(samples.bc(i)[static_cast<std::size_t>(axis)]);
        }
    }
    std::vector<ParametersPtr> gradients;
    for (auto const& terms : value_gradients(values, group.offsets, problem_->settings.es)) {
        auto const sum =
            noise.weighted_sum(terms.offsets, terms.weights, problem_->network.parameter_count());
        gradients.push_back(std::make_shared<Eigen::VectorXf const>(with_length_one(sum)));
    }
    return gradients;
}

std::optional<Emitter> CmaMega::stepped(Group const& group, ComparedMembers const& members) const
{
    auto const values = ranking_values(improvement_rule, members.improvements);
    if (is_flat(values) || std::ranges::none_of(members.improvements, &Improvement::accepted)) {
        return std::nullopt;
    }
    auto const rates = cma_rates(coefficients(), group.members());
    auto const order = best_first(values);
    Eigen::MatrixXd parents(std::ssize(rates.weights), coefficients());
    for (Eigen::Index i = 0; i < parents.rows(); ++i) {
        auto const child = static_cast<Eigen::Index>(order[static_cast<std::size_t>(i)]);
        parents.row(i) =
            Eigen::Map<Eigen::RowVectorXf const>{group.coefficients.data() + child * coefficients(),
                                                 coefficients()}
                .cast<double>();
    }
    auto emitter = state_.emitters.front();
    emitter.cma = adapted(rates, std::move(emitter.cma), parents);
    for (std::size_t j = 0; j < group.basis.size(); ++j) {
        emitter.theta +=
            static_cast<float>(emitter.cma.mean[static_cast<Eigen::Index>(j)]) * *group.basis[j];
    }
    ++emitter.steps;
    bool const ended = is_degenerate(emitter.cma) || !emitter.theta.allFinite();
    return ended ? std::nullopt : std::optional{std::move(emitter)};
}

void CmaMega::absorb(BatchResult const& result)
{
    EpisodeRange const all{0, std::ssize(result.outcomes)};
    count_episodes(state_, result, all);
    merge_observations(state_, result, all);
}

void CmaMega::tell(Batch const& batch, BatchResult const& result, NoiseSource& noise)
{
    expects(static_cast<std::int64_t>(result.outcomes.size()) == batch.episodes(),
            "an outcome for every episode");
    if (state_.evaluated && !pending_) {
        pending_ = Estimate{result, gradients(batch.groups.front(), result, noise)};
        return;
    }
    auto const groups = compare_members(state_, improvement_rule, batch, result);
    auto parents = initial_parents(state_);
    std::optional<Emitter> next = state_.emitters.front();
    if (state_.evaluated) {
        next = stepped(batch.groups[1], groups[1]);
        parents.assign(groups.size(), state_.emitters.front().parent_cell);
        absorb(pending_->result);
        pending_.reset();
        ++state_.generation;
    }
    absorb(result);
    offer_members(state_, *problem_, improvement_rule, batch, groups, parents, noise);
    state_.emitters.front() = next ? std::move(*next) : emitter_from_map(*problem_, state_, 0);
    prepare_coefficients();
    state_.candidates.clear();
    state_.evaluated = true;
}

void check_cma_mega(Settings const& settings)
{
    if (settings.algorithm.children < 2) {
        throw ConfigError{
            fmt::format("invalid algorithm.children = {} with algorithm.name = \"{}\"",
                        settings.algorithm.children, settings.algorithm.name),
            "the better half of the children are the parents of its CMA-ES",
            "Set algorithm.children to at least 2."};
    }
    auto const pairs = static_cast<double>(settings.es.population / 2);
    if (settings.es.direction_fraction * pairs <= 1) {
        bool const by_fraction = pairs > 1;
        throw ConfigError{
            fmt::format("invalid {} with algorithm.name = \"{}\"",
                        by_fraction ? fmt::format("es.direction_fraction = {}",
                                                  settings.es.direction_fraction)
                                    : fmt::format("es.population = {}", settings.es.population),
                        settings.algorithm.name),
            "one mirrored pair forms all gradients, which then lie on one line",
            fmt::format("Set {} to a larger value.",
                        by_fraction ? "es.direction_fraction" : "es.population")};
    }
}

}  // namespace

AlgorithmType cma_mega()
{
    return {.known = {"cma-mega",
                      {{KeyGroup::offspring, KeyGroup::training_episodes, KeyGroup::directions,
                        KeyGroup::utilities, KeyGroup::children, KeyGroup::coefficients}}},
            .make =
                [](SearchProblemPtr problem, State state) {
                    return std::make_unique<CmaMega>(std::move(problem), std::move(state));
                },
            .size =
                [](AlgorithmSettings const& settings) {
                    return SearchSize{.measured = settings.children + 1, .parameter_bytes = 4};
                },
            .check = check_cma_mega};
}

}  // namespace mees
