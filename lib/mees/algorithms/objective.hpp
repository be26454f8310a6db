#pragma once

#include "mees/algorithms/offspring.hpp"
#include "mees/config/choices.hpp"
#include "mees/qd/novelty_archive.hpp"

#include <cstdint>
#include <vector>

namespace mees {

/// What an ES step optimises: a weighted sum of centred ranks. Explore, exploit, NS-ES, NSR-ES and
/// NSRA-ES differ in these weights alone.
struct Objective {
    double fitness{0};
    double novelty{0};
    /// Evolvability as the spread of the offspring's BCs: an offspring counts by its squared
    /// distance from their mean (the gradient of their total variance; Gajewski et al. 2019,
    /// MaxVar).
    double evolvability{0};

    [[nodiscard]] static Objective only_fitness() { return {.fitness = 1}; }
    [[nodiscard]] static Objective only_novelty() { return {.novelty = 1}; }
    [[nodiscard]] static Objective only_evolvability() { return {.evolvability = 1}; }

    friend bool operator==(Objective const&, Objective const&) = default;
};

[[nodiscard]] Objective objective_of(ObjectiveKind kind);

/// The objective's value of each offspring, as weighted centred ranks.
[[nodiscard]] std::vector<double> objective_ranks(Objective const& objective,
                                                  OffspringValues const& offspring,
                                                  NoveltyArchive const& archive);

/// The noise slices that form a gradient, and their weights.
struct GradientTerms {
    std::vector<NoiseOffset> offsets;
    std::vector<float> weights;
};

/// utility+ - utility- of the mirrored pairs, `offsets` one for each, that form the gradient: the
/// share `direction_fraction` of them with the largest max(rank+, rank-). Utilities are ranks among
/// all offspring, or values divided by the standard deviation of those used.
[[nodiscard]] GradientTerms gradient_terms(Objective const& objective,
                                           OffspringValues const& offspring,
                                           std::span<NoiseOffset const> offsets,
                                           NoveltyArchive const& archive,
                                           EsSettings const& settings);

}  // namespace mees
