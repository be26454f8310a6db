#pragma once

#include "mees/algorithms/strategy.hpp"

namespace mees {

/// Whether theta's evaluation may travel in one batch with the next generation's offspring. The two
/// give the same bits; the first leaves no rank waiting.
enum class Overlap { where_possible, never };

/// ME-ES, the NS-ES family, ES and MEMES: generations of ES steps whose resulting controllers are
/// evaluated, offered to the map and added to the novelty archive. The strategy says who steps
/// next.
class EsSearch final : public Algorithm {
  public:
    EsSearch(SearchProblem problem, State state, std::unique_ptr<Strategy> strategy,
             Overlap overlap = Overlap::where_possible);

    [[nodiscard]] bool finished() const override;
    [[nodiscard]] Batch ask() const override;
    void tell(Batch const& batch, BatchResult const& result, NoiseSource& noise) override;
    [[nodiscard]] State const& state() const override { return state_; }

  private:
    /// The emitters whose controllers are those of `state.generation`.
    [[nodiscard]] std::vector<std::int64_t> pending() const;
    [[nodiscard]] bool asks_for_offspring() const;
    [[nodiscard]] Eigen::VectorXf const& start_of(Move const& move) const;

    void absorb_evaluation(Batch const& batch, BatchResult const& result);
    void make_steps(Batch const& batch, BatchResult const& result, std::size_t first_group,
                    std::int64_t first_episode, NoiseSource& noise);
    [[nodiscard]] Emitter stepped(Emitter emitter, Group const& group,
                                  std::vector<double> const& ranks, NoiseSource& noise) const;

    SearchProblem problem_;
    State state_;
    std::unique_ptr<Strategy> strategy_;
    Overlap overlap_;
    OptimiserSettings optimiser_;
    CellNovelty cell_novelty_;
};

}  // namespace mees
