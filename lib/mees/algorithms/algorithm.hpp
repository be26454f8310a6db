#pragma once

#include "mees/algorithms/state.hpp"
#include "mees/config/known_names.hpp"
#include "mees/config/settings.hpp"
#include "mees/evaluation/batch.hpp"
#include "mees/evaluation/noise_source.hpp"
#include "mees/evaluation/result.hpp"
#include "mees/policy/network.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace mees {

class Algorithm;
struct SearchProblem;
using SearchProblemPtr = std::shared_ptr<SearchProblem const>;

/// How many controllers an algorithm works with.
struct SearchSize {
    std::int64_t initial{1};           ///< controllers of generation 0, each measured
    std::int64_t optimised{1};         ///< at once, each with its own optimiser
    std::int64_t populations{1};       ///< of es.population offspring, each generation
    std::int64_t measured{1};          ///< by n_eval episodes each generation
    std::int64_t repeated{0};          ///< further episodes of each generation, the initial one too
    bool measures_offspring{false};    ///< each offspring by n_eval episodes
    std::int64_t parameter_bytes{12};  ///< of an optimised controller and its optimiser
    /// Generations after which half of the populations end, again and again until one is left; 0:
    /// none does.
    std::int64_t halved_every{0};
};

/// An algorithm as the programs know it.
struct AlgorithmType {
    KnownName known;
    /// The search that continues from a state.
    std::function<std::unique_ptr<Algorithm>(SearchProblemPtr, State)> make;
    std::function<SearchSize(AlgorithmSettings const&)> size{
        [](AlgorithmSettings const&) { return SearchSize{}; }};
    /// Throws ConfigError if the settings make no sense with this algorithm.
    std::function<void(Settings const&)> check{[](Settings const&) {}};

    [[nodiscard]] std::string const& name() const { return known.name; }
};

/// What every algorithm needs to know about the run, derived once from settings and domain and
/// shared from then on.
struct SearchProblem {
    Settings settings;
    NetworkShape network;
    BehaviourSpace space;
    AlgorithmType algorithm;

    [[nodiscard]] SearchSize size() const { return algorithm.size(settings.algorithm); }
    /// Of generation 0.
    [[nodiscard]] std::int64_t initial_episodes() const;
    /// Of every generation after the first, or of one with this many controllers.
    [[nodiscard]] std::int64_t episodes_per_generation() const
    {
        return episodes_per_generation(size());
    }
    [[nodiscard]] std::int64_t episodes_per_generation(SearchSize const& size) const;
    /// The algorithm's name, with its mode where it has some.
    [[nodiscard]] std::string label() const;
};

/// A search as a state machine: ask what to evaluate, tell the results.
///
/// `ask` is a pure function of the state: asking twice gives the same batch, so a batch that was
/// lost is simply asked for again. `tell` is the only place where the state changes. Between two
/// tells the state can be saved, and an algorithm made from it continues bit-identically.
class Algorithm {
  public:
    Algorithm() = default;
    Algorithm(Algorithm const&) = delete;
    Algorithm& operator=(Algorithm const&) = delete;
    virtual ~Algorithm() = default;

    [[nodiscard]] virtual bool finished() const = 0;
    [[nodiscard]] virtual Batch ask() const = 0;
    /// `noise` has the table that the batch's offsets refer to.
    virtual void tell(Batch const& batch, BatchResult const& result, NoiseSource& noise) = 0;
    [[nodiscard]] virtual State const& state() const = 0;
};

/// The parameters of generation 0's `index`-th controller.
[[nodiscard]] Eigen::VectorXf initial_parameters(SearchProblem const& problem, std::int64_t index);

/// The state before anything was evaluated: generation 0.
[[nodiscard]] State initial_state(SearchProblem const& problem);

/// Elites of another search, the fittest first, and the observations of that search.
struct StartElites {
    std::vector<Candidate> elites;
    ObservationMoments observations;
};

/// The same for a search that starts from elites: they are its candidates, its emitters' parameters
/// are those of the fittest of them, and its observation statistic continues theirs.
[[nodiscard]] State initial_state(SearchProblem const& problem, StartElites start);

/// The problem's algorithm, continuing from `state`.
[[nodiscard]] std::unique_ptr<Algorithm> make_algorithm(SearchProblemPtr const& problem,
                                                        State state);

}  // namespace mees
