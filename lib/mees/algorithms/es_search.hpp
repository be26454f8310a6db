#pragma once

#include "mees/algorithms/offspring_blocks.hpp"
#include "mees/algorithms/strategy.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace mees {

/// ME-ES, the NS-ES family, ES and MEMES: generations of ES steps whose resulting controllers are
/// evaluated, offered to the map and added to the novelty archive. The strategy
/// chooses who takes the next steps.
class EsSearch final : public Algorithm {
  public:
    EsSearch(SearchProblemPtr problem, State state, std::unique_ptr<Strategy> strategy);

    /// From now on no evaluation travels in one batch with the next generation's offspring: the
    /// same bits, but ranks wait.
    void never_overlap() { overlap_ = false; }

    [[nodiscard]] bool finished() const override;
    [[nodiscard]] Batch ask() const override;
    void tell(Batch const& batch, BatchResult const& result, NoiseSource& noise) override;
    [[nodiscard]] State const& state() const override { return state_; }

  private:
    /// The emitters whose controllers are those of `state.generation`.
    [[nodiscard]] std::vector<std::int64_t> pending() const;
    [[nodiscard]] bool asks_for_offspring() const;
    [[nodiscard]] Emitter start_of(Move const& move) const;
    [[nodiscard]] Eigen::VectorXf new_link(Move const& move) const;
    [[nodiscard]] std::shared_ptr<OptimiserState const> kept(OptimiserState const& state) const;

    void absorb_evaluation(Batch const& batch, BatchResult const& result);
    /// Throws Error, leaving the state as it was, if a step diverges.
    void make_steps(NoiseSource& noise);
    void choose_candidates(OffspringValues const& offspring, std::size_t move,
                           Emitter const& parent, NoiseSource const& noise,
                           std::vector<Candidate>& candidates) const;

    SearchProblemPtr problem_;
    State state_;
    std::unique_ptr<Strategy> strategy_;
    bool overlap_{true};
    CellNovelty cell_novelty_;
    /// Not part of the state: a run that resumes asks for a generation's offspring from the start.
    OffspringBlocks blocks_;
};

/// The `make` of an algorithm that is a strategy of EsSearch.
template <class S>
[[nodiscard]] std::unique_ptr<Algorithm> make_es_search(SearchProblemPtr const& problem,
                                                        State state)
{
    return std::make_unique<EsSearch>(problem, std::move(state), std::make_unique<S>(problem));
}

/// The keys that EsSearch uses, and more.
[[nodiscard]] std::vector<KeyGroup> es_search_keys(std::vector<KeyGroup> more = {});

}  // namespace mees
