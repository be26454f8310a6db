#pragma once

#include "mees/config/choices.hpp"

#include <compare>
#include <string>

namespace mees {

/// What an ES step optimises: a weighted sum of centred ranks. Explore, exploit, NS-ES, NSR-ES and
/// NSRA-ES differ in these weights alone. A component of weight 0 is not computed.
struct Objective {
    double fitness{0};
    double novelty{0};
    /// Spread of the offspring's BCs: an offspring counts by its squared distance from their mean.
    double evolvability{0};
    /// The same with the axes of the BC scaled by the map's bounds (Gajewski et al. 2019, MaxVar).
    double max_var{0};
    /// Entropy of the offspring's BCs, scaled likewise (the same paper, MaxEnt).
    double max_ent{0};

    [[nodiscard]] static Objective only_fitness() { return {.fitness = 1}; }
    [[nodiscard]] static Objective only_novelty() { return {.novelty = 1}; }

    [[nodiscard]] double& weight(ObjectiveKind kind);
    [[nodiscard]] double weight(ObjectiveKind kind) const;

    /// Whether it compares offspring by BCs that the initial state must not change.
    [[nodiscard]] bool needs_same_states() const { return max_var != 0 || max_ent != 0; }
    /// Whether it compares the BC of an offspring with those of the others.
    [[nodiscard]] bool compares_offspring() const
    {
        return evolvability != 0 || needs_same_states();
    }
    /// With weights whose sum is 1, in single precision: equal for objectives that differ in scale
    /// alone, and so rank alike.
    [[nodiscard]] Objective normalised() const;

    friend auto operator<=>(Objective const&, Objective const&) = default;
};

/// As a configuration has it: "novelty", or "0.5*fitness + 0.5*novelty".
[[nodiscard]] std::string to_string(Objective const& objective);

}  // namespace mees
