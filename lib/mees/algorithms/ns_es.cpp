#include "mees/algorithms/detail/groups.hpp"
#include "mees/algorithms/es_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mees {
namespace {

/// What a step of the family optimises.
enum class Family { ns, nsr, nsra };

/// NS-ES, NSR-ES and NSRA-ES (Conti et al. 2018): several parents, each with its own optimiser, of
/// which one steps each generation.
template <Family family>
class NsEs final : public Strategy {
  public:
    explicit NsEs(SearchProblemPtr problem) : problem_{std::move(problem)} {}

    [[nodiscard]] std::vector<Move> next(State const& state) const override
    {
        return {{.emitter = chosen_parent(state),
                 .mode = family == Family::ns ? Mode::explore : Mode::other,
                 .objectives = {objective(state)}}};
    }

    [[nodiscard]] bool can_overlap(State const& state) const override
    {
        switch (problem_->settings.algorithm.parent_choice) {
            case ParentChoice::novelty:
                return state.emitters.size() == 1;
            case ParentChoice::round_robin:
                break;
        }
        return true;
    }

    void evaluated(State& state, std::vector<Measured> const& measured,
                   std::vector<InsertionResult> const& /*inserted*/) const override
    {
        if (family == Family::nsra) {
            adapt_weight(state, std::ranges::max(measured, {}, &Measured::fitness).fitness);
        }
    }

  private:
    [[nodiscard]] std::int64_t chosen_parent(State const& state) const
    {
        switch (problem_->settings.algorithm.parent_choice) {
            case ParentChoice::novelty:
                return drawn_parent(state);
            case ParentChoice::round_robin:
                break;
        }
        return state.generation.value() % std::ssize(state.emitters);
    }

    /// In proportion to the parents' novelties against the archive as it is, each leaving out its
    /// own entry; equally while all are 0.
    [[nodiscard]] std::int64_t drawn_parent(State const& state) const
    {
        if (state.emitters.size() == 1) {
            return 0;
        }
        std::vector<double> novelties;
        for (auto const& emitter : state.emitters) {
            novelties.push_back(state.archive.novelty(emitter.bc, emitter.archive_entry));
        }
        double total = std::accumulate(novelties.begin(), novelties.end(), 0.0);
        if (total <= 0) {
            std::ranges::fill(novelties, 1.0);
            total = static_cast<double>(novelties.size());
        }
        auto stream = run_stream(*problem_, Purpose::parent_choice, state.generation.next());
        double remaining = stream.uniform() * total;
        for (std::size_t i = 0; i + 1 < novelties.size(); ++i) {
            if (remaining < novelties[i]) {
                return static_cast<std::int64_t>(i);
            }
            remaining -= novelties[i];
        }
        return static_cast<std::int64_t>(novelties.size()) - 1;
    }

    [[nodiscard]] Objective objective(State const& state) const
    {
        if (family == Family::ns) {
            return Objective::only_novelty();
        }
        double const weight = family == Family::nsra ? state.nsra.weight : 0.5;
        return {.fitness = weight, .novelty = 1 - weight};
    }

    void adapt_weight(State& state, double fitness) const
    {
        auto const& settings = problem_->settings.algorithm;
        auto& nsra = state.nsra;
        if (state.generation.value() == 0) {
            nsra.best = fitness;
            return;
        }
        if (fitness > nsra.best + settings.nsra_min_improvement * std::abs(nsra.best)) {
            nsra.best = fitness;
            nsra.weight = std::min(1.0, nsra.weight + settings.nsra_step);
            nsra.generations_without = 0;
        } else if (++nsra.generations_without >= settings.nsra_patience) {
            nsra.weight = std::max(0.0, nsra.weight - settings.nsra_step);
            nsra.generations_without = 0;
        }
    }

    SearchProblemPtr problem_;
};

template <Family family>
AlgorithmType type_of(std::string name, std::vector<KeyGroup> keys)
{
    return {.known = {std::move(name), es_search_keys(std::move(keys))},
            .make = make_es_search<NsEs<family>>,
            .size = [](AlgorithmSettings const& settings) {
                return SearchSize{.initial = settings.parents, .optimised = settings.parents};
            }};
}

}  // namespace

AlgorithmType ns_es()
{
    return type_of<Family::ns>("ns-es", {KeyGroup::parents});
}

AlgorithmType nsr_es()
{
    return type_of<Family::nsr>("nsr-es", {KeyGroup::parents});
}

AlgorithmType nsra_es()
{
    return type_of<Family::nsra>("nsra-es", {KeyGroup::parents, KeyGroup::nsra});
}

}  // namespace mees
