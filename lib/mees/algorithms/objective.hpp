#pragma once

#include "mees/algorithms/offspring.hpp"
#include "mees/config/objective.hpp"
#include "mees/qd/novelty_archive.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace mees {

/// What offspring are compared with: the archive for novelty, the extent of the map's axes and the
/// width of the kernel relative to it for evolvability.
struct Reference {
    NoveltyArchive const& archive;
    std::vector<double> extents{};
    double kernel_width{0};
};

/// The objective's value of each offspring, as weighted centred ranks.
[[nodiscard]] std::vector<double> objective_ranks(Objective const& objective,
                                                  OffspringValues const& offspring,
                                                  Reference const& reference);

/// The noise slices that form a gradient, and their weights.
struct GradientTerms {
    std::vector<NoiseOffset> offsets;
    std::vector<float> weights;

    /// The two of every pair tie: the gradient has no direction.
    [[nodiscard]] bool are_zero() const
    {
        return std::ranges::all_of(weights, [](float weight) { return weight == 0; });
    }
};

/// utility+ - utility- of the mirrored pairs, `offsets` one for each, that form the gradient: the
/// share `direction_fraction` of them with the largest max(rank+, rank-). Utilities are ranks among
/// all offspring, or values divided by the standard deviation of those used.
[[nodiscard]] GradientTerms gradient_terms(Objective const& objective,
                                           OffspringValues const& offspring,
                                           std::span<NoiseOffset const> offsets,
                                           Reference const& reference, EsSettings const& settings);

/// The same for several values of the offspring, member by member: a gradient of each. The pairs
/// that are best by the first values form all of them.
[[nodiscard]] std::vector<GradientTerms> value_gradients(
    std::span<std::vector<double> const> values, std::span<NoiseOffset const> offsets,
    EsSettings const& settings);

}  // namespace mees
