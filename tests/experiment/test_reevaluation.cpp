#include "catch.hpp"
#include "mees/evaluation/evaluator.hpp"
#include "mees/experiment/reevaluation.hpp"
#include "storage/samples.hpp"

#include <algorithm>

using namespace mees;

namespace {

/// Every controller behaves like the first elite of the map; the k-th controller has fitness k, and
/// its episodes deviate from it by +-1.
class OneCellEvaluator final : public Evaluator {
  public:
    explicit OneCellEvaluator(std::vector<double> bc) : bc_{std::move(bc)} {}

    [[nodiscard]] std::optional<BatchResult> evaluate(Batch const& batch, StopToken& stop) override
    {
        if (stop.requested()) {
            return std::nullopt;
        }
        BatchResult result{batch.episodes(), std::ssize(bc_)};
        for (std::int64_t i = 0; i < batch.episodes(); ++i) {
            auto const controller = static_cast<double>(i / 2);
            result.outcomes[static_cast<std::size_t>(i)] = {controller + (i % 2 == 0 ? -1 : 1), 1,
                                                            EpisodeEnd::completed};
            std::ranges::copy(bc_, result.bc(i).begin());
        }
        return result;
    }
    [[nodiscard]] std::int32_t workers() const override { return 1; }
    [[nodiscard]] std::vector<WorkerTiming> timing() const override { return {}; }

  private:
    std::vector<double> bc_;
};

}  // namespace

TEST_CASE("a re-evaluated elite is in the cell of its new BC, and the fittest wins each cell")
{
    auto const before = test::sample_document(1);
    auto const& [first_cell, first] = *before.state.map.elites().begin();
    OneCellEvaluator evaluator{first.bc};
    StopToken stop;
    auto const after = reevaluate(before, {.episodes = 2, .seed = 5}, evaluator, stop);
    REQUIRE(after);
    auto const count = before.state.map.filled();
    REQUIRE(count > 1);
    REQUIRE(after->state.map.filled() == 1);
    auto const& elite = *after->state.map.find(before.state.map.space().cell_of(first.bc));
    CHECK(elite.fitness == static_cast<double>(count - 1));
    CHECK(elite.fitness_std == Approx(std::sqrt(2.0)));  // -1 and 1 around the mean
    CHECK(elite.bc == first.bc);

    auto const& reevaluation = after->reevaluation.value();
    CHECK(reevaluation.episodes == 2);
    CHECK(reevaluation.seed == 5);
    REQUIRE(std::ssize(reevaluation.rows) == count);
    CHECK(reevaluation.rows.front().stored_cell == first_cell);
    CHECK(reevaluation.rows.front().stored_fitness == first.fitness);
    CHECK(std::ranges::count(reevaluation.rows, true, &Reevaluation::Row::kept) == 1);
    CHECK(reevaluation.rows.back().kept);
    CHECK(reevaluation.rows.back().bc_std == std::vector<double>(first.bc.size(), 0));

    auto const& last = after->state.history.back();
    CHECK(last.coverage == 1);
    CHECK(last.best == elite.fitness);
    CHECK(last.qd_score == elite.fitness - before.qd_offset);
}

TEST_CASE("an interrupted re-evaluation has no result")
{
    OneCellEvaluator evaluator{{0, 0}};
    StopToken stop{TimeLimit{StopToken::Clock::now() - std::chrono::seconds{1}}, {}};
    CHECK_FALSE(reevaluate(test::sample_document(1), {.episodes = 2, .seed = 5}, evaluator, stop));
}
