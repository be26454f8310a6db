#pragma once

#include "mees/algorithms/algorithm.hpp"
#include "mees/algorithms/archive_update.hpp"

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace mees {

/// What distinguishes the population-based searches. Stateless.
class Selection {
  public:
    Selection() = default;
    Selection(Selection const&) = delete;
    Selection& operator=(Selection const&) = delete;
    virtual ~Selection() = default;

    /// A generation's members, the best first. `novelties` are those among archive and members,
    /// `bcs` the members' behaviours, row by row.
    [[nodiscard]] virtual std::vector<std::size_t> order(State const& state,
                                                         std::span<Measured const> members,
                                                         std::span<double const> novelties,
                                                         std::span<double const> bcs) const = 0;
    [[nodiscard]] virtual Mode mode() const { return Mode::other; }
    /// Whether the best are evaluated again to find the elite, which survives.
    [[nodiscard]] virtual bool has_elite() const { return false; }
    /// Whether the archive keeps fitness, too.
    [[nodiscard]] virtual bool keeps_archive_fitness() const { return false; }
};

/// GA, NS and NSLC: each generation, `children` children theta + sigma eps of parents drawn
/// uniformly are evaluated n_eval times and offered to the map; the `truncation` best of them are
/// the next parents. The state's emitters are the parents. With an elite (Such et al. 2017) the
/// fittest children and the elite so far are evaluated again in a second batch, and the fittest of
/// these is the first parent. Parameters of a child are made only if it enters the map or becomes a
/// parent.
class PopulationSearch final : public Algorithm {
  public:
    PopulationSearch(SearchProblemPtr problem, State state, std::unique_ptr<Selection> selection);

    [[nodiscard]] bool finished() const override;
    [[nodiscard]] Batch ask() const override;
    void tell(Batch const& batch, BatchResult const& result, NoiseSource& noise) override;
    [[nodiscard]] State const& state() const override { return state_; }

  private:
    /// A member of a generation: its place in the batch, and its origin.
    struct Place {
        std::size_t group;
        std::int64_t member;                ///< of the group
        std::optional<CellId> parent_cell;  ///< of its parent
        std::int64_t steps;                 ///< mutations since generation 0
    };
    /// A generation whose members have been evaluated.
    struct Evaluated {
        Batch batch;
        BatchResult result;
        std::vector<Place> places;
        std::vector<Measured> measured;
        std::vector<double> bcs;
        std::vector<double> novelties;
        std::vector<Emitter> parents;  ///< of the next; the elite so far first, where there is one
    };

    /// How many of the parents, from the first, are candidates for the elite.
    [[nodiscard]] std::int64_t elite_candidates() const;
    /// How many children each parent has in the next generation.
    [[nodiscard]] std::vector<std::int64_t> children_of_parents() const;
    [[nodiscard]] Batch children() const;
    [[nodiscard]] Batch repetition() const;

    [[nodiscard]] std::vector<Place> places_of_groups(Batch const& batch) const;
    [[nodiscard]] Evaluated evaluated(Batch const& batch, BatchResult const& result,
                                      NoiseSource const& noise) const;
    /// The best members as emitters, at most `truncation`.
    [[nodiscard]] std::vector<Emitter> best_of(Evaluated const& members,
                                               NoiseSource const& noise) const;

    void absorb(Evaluated members, NoiseSource const& noise);
    void absorb_repetition(BatchResult const& result);
    void offer_members(Evaluated const& members, NoiseSource const& noise);
    /// A row of the history; its insertions are those since the row before.
    void record(GenerationSummary summary);

    SearchProblemPtr problem_;
    State state_;
    std::unique_ptr<Selection> selection_;
    CellNovelty cell_novelty_;
    /// The generation whose elite is being found. Not part of the state: a run that resumes asks
    /// for the generation's members again.
    std::optional<Evaluated> pending_;
};

/// The `make` of an algorithm that is a selection of PopulationSearch.
template <class S>
[[nodiscard]] std::unique_ptr<Algorithm> make_population_search(SearchProblemPtr const& problem,
                                                                State state)
{
    return std::make_unique<PopulationSearch>(problem, std::move(state), std::make_unique<S>());
}

[[nodiscard]] SearchSize population_search_size(AlgorithmSettings const& settings);
/// Throws ConfigError for more parents than children.
void check_population_search(Settings const& settings);

}  // namespace mees
