#pragma once

#include "mees/config/choices.hpp"
#include "mees/evaluation/result.hpp"
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

/// Episodes first .. first + count - 1 of a result.
struct EpisodeRange {
    std::int64_t first{0};
    std::int64_t count{0};
};

/// The objective's value of each episode in the range, as weighted centred ranks.
[[nodiscard]] std::vector<double> objective_ranks(Objective const& objective,
                                                  BatchResult const& result, EpisodeRange range,
                                                  NoveltyArchive const& archive);

}  // namespace mees
