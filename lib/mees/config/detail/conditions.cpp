#include "mees/config/detail/conditions.hpp"

#include <algorithm>

namespace mees {
namespace {

bool has_gradient_steps(Settings const& settings)
{
    return settings.algorithm.emitter_optimizer == EmitterOptimiser::openai_es;
}

bool compares_entropy(Settings const& settings)
{
    return std::ranges::any_of(settings.algorithm.objectives,
                               [](Objective const& one) { return one.max_ent != 0; });
}

constexpr std::string_view gradient_steps = "algorithm.emitter_optimizer = openai-es";

std::vector<Condition> conditions_of_optimisers()
{
    return {
        {{"es.learning_rate", "es.learning_rate_decay", "es.learning_rate_limit", "es.l2",
          "es.optimizer", "es.divide_by_sigma", "es.sigma_decay", "es.sigma_limit",
          "es.direction_fraction", "es.utility"},
         KeyGroup::improvement,
         has_gradient_steps,
         gradient_steps},
        {{"es.seeds", "es.paired_seeds"},
         KeyGroup::improvement,
         [](Settings const& settings) {
             return has_gradient_steps(settings) || settings.es.seeds != SharedSeeds::pair;
         },
         gradient_steps},
    };
}

std::vector<Condition> conditions_of_modes()
{
    return {
        {{"algorithm.kernel_width"},
         KeyGroup::modes,
         compares_entropy,
         "max-ent in algorithm.objectives"},
        {{"algorithm.explore_cells"},
         KeyGroup::modes,
         [](Settings const& settings) { return settings.algorithm.mode != SearchMode::exploit; },
         "algorithm.mode = explore, explore-exploit"},
        {{"algorithm.exploit_cells"},
         KeyGroup::modes,
         [](Settings const& settings) { return settings.algorithm.mode != SearchMode::explore; },
         "algorithm.mode = exploit, explore-exploit"},
        {{"algorithm.explore_cells"},
         KeyGroup::memes,
         [](Settings const& settings) { return settings.algorithm.explore_share > 0; },
         "algorithm.explore_share above 0"},
        {{"algorithm.exploit_cells"},
         KeyGroup::memes,
         [](Settings const& settings) { return settings.algorithm.explore_share < 1; },
         "algorithm.explore_share below 1"},
        {{"algorithm.novelty_window"},
         KeyGroup::memes,
         [](Settings const& settings) { return settings.algorithm.explore_share > 0; },
         "algorithm.explore_share above 0, apart from the novelties that are recorded"},
    };
}

}  // namespace

std::vector<Condition> const& conditions()
{
    static std::vector<Condition> const all = [] {
        auto list = conditions_of_optimisers();
        auto const more = conditions_of_modes();
        list.insert(list.end(), more.begin(), more.end());
        return list;
    }();
    return all;
}

std::string_view unmet_condition(Key const& key, Settings const& settings, KnownNames const& known)
{
    auto const algorithm =
        std::ranges::find(known.algorithms, settings.algorithm.name, &KnownName::name);
    if (algorithm == known.algorithms.end()) {
        return {};
    }
    auto const name = key.full_name();
    for (auto const& condition : conditions()) {
        bool const concerns = std::ranges::find(condition.keys, name) != condition.keys.end()
                              && algorithm->names(condition.group);
        if (concerns && !condition.is_met(settings)) {
            return condition.text;
        }
    }
    return {};
}

}  // namespace mees
