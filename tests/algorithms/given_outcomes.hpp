#pragma once

#include "algorithms/function_evaluator.hpp"
#include "catch.hpp"

#include <vector>

namespace mees::test {

using Outcomes = std::vector<double>;

/// Tells the next batch, whose episodes have these outcomes, and returns the batch.
inline Batch tell(Algorithm& algorithm, FunctionEvaluator& evaluator, Outcomes const& fitness,
                  Outcomes const& bcs)
{
    auto const batch = algorithm.ask();
    REQUIRE(batch.episodes() == std::ssize(fitness));
    BatchResult result{batch.episodes(), 2};
    for (std::size_t i = 0; i < fitness.size(); ++i) {
        result.outcomes[i] = {fitness[i], 1};
    }
    result.bcs = bcs;
    algorithm.tell(batch, result, evaluator);
    return batch;
}

/// The parameters of the `index`-th member, counted through the groups.
inline Eigen::VectorXf member_of(Batch const& batch, std::int64_t index,
                                 std::span<float const> noise)
{
    for (auto const& group : batch.groups) {
        if (index < group.members()) {
            Eigen::VectorXf theta = group.centre->parameters.values();
            for (Eigen::Index j = 0; j < theta.size() && !group.offsets.empty(); ++j) {
                auto const at = group.offsets[static_cast<std::size_t>(index)].value() + j;
                theta[j] += group.sigma * noise[static_cast<std::size_t>(at)];
            }
            return theta;
        }
        index -= group.members();
    }
    return {};
}

}  // namespace mees::test
