#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mees {

/// Keys of the configuration that only some domains, or only some algorithms, use. Each domain and
/// algorithm names the groups that it uses where it is registered.
enum class KeyGroup : std::uint8_t {
    // Of domains.
    behaviour,  ///< bc
    contact_forces,
    contact_costs,
    integrator,
    terminate,
    sleep,
    mjcf,
    process,
    // Of algorithms.
    offspring,          ///< es.population and how its offspring are sampled and evaluated
    gradient,           ///< es.*: a step along the gradient that is estimated from them
    es_step,            ///< confirm_offspring, es.steps_per_generation
    directions,         ///< es.direction_fraction
    utilities,          ///< es.utility
    training_episodes,  ///< es.episodes_per_offspring, action_noise, training_without
    novelty,            ///< novelty_k, novelty_metric
    modes,              ///< mode, mode_schedule, n_optim_gens, objectives
    parent_cells,       ///< explore_cells, exploit_cells
    chains,             ///< chain_links, chain_steps, chain_append, chain_start
    children,           ///< children
    variation,          ///< parent_cells, variation, line_sigma
    truncation,
    elite,           ///< elite_candidates, elite_episodes
    archive_sample,  ///< archive_probability
    parents,         ///< of the NS-ES family
    starts,          ///< starts, start_generations
    nsra,
    emitters,
    memes,         ///< explore_share, emitter_patience, novelty_window
    thresholds,    ///< threshold_rate, threshold_floor
    improvement,   ///< emitter_optimizer
    coefficients,  ///< coefficient_sigma
};

/// A name that domain.name or algorithm.name may hold, and what keys have an effect with it.
struct KnownName {
    std::string name;
    std::optional<std::vector<KeyGroup>> uses{};  ///< nothing: any key may have an effect

    [[nodiscard]] bool names(KeyGroup group) const;
};

/// The domains and algorithms that a program has. Where a list is empty, any name is accepted.
struct KnownNames {
    std::vector<KnownName> domains{};
    std::vector<KnownName> algorithms{};

    /// The list of the key "domain.name" or "algorithm.name"; empty for other keys.
    [[nodiscard]] std::vector<KnownName> const& of_key(std::string_view full_name) const;
};

[[nodiscard]] std::vector<std::string> names_of(std::vector<KnownName> const& known);

}  // namespace mees
