#include "mees/config/schema.hpp"

namespace mees::detail {
namespace {

Owner algorithms(KeyGroup group)
{
    return {.selector = "algorithm.name", .group = group};
}

template <auto path>
constexpr Access at = member<&Settings::algorithm, path>;

std::vector<Key> common_keys()
{
    using A = AlgorithmSettings;
    return {
        {.section = "algorithm",
         .name = "name",
         .access = at<&A::name>,
         .description = "me-es is the paper's; me-ga, ns-es, nsr-es, nsra-es and es its baselines; "
                        "memes runs several ES emitters side by side."},
        {.section = "algorithm",
         .name = "mode",
         .access = at<&A::mode>,
         .description = "What ME-ES climbs: novelty, fitness, or the two in turn.",
         .owner = algorithms(KeyGroup::modes)},
        {.section = "algorithm",
         .name = "mode_schedule",
         .access = at<&A::mode_schedule>,
         .description = "explore-exploit: the modes alternate (exploit first), or a coin decides.",
         .owner = algorithms(KeyGroup::modes)},
        {.section = "algorithm",
         .name = "n_optim_gens",
         .access = at<&A::n_optim_gens>,
         .description = "Generations until the next parent cell is drawn.",
         .range = {1, 1e9},
         .owner = algorithms(KeyGroup::modes)},
        {.section = "algorithm",
         .name = "n_eval",
         .access = at<&A::n_eval>,
         .description = "Episodes that measure a controller before it is offered to the map.",
         .range = {1, 1e6}},
        {.section = "algorithm",
         .name = "novelty_k",
         .access = at<&A::novelty_k>,
         .description = "Novelty is the mean distance to so many nearest behaviours.",
         .range = {1, 1e6},
         .owner = algorithms(KeyGroup::novelty)},
        {.section = "algorithm",
         .name = "novelty_metric",
         .access = at<&A::novelty_metric>,
         .description = "Distance, or squared distance as in the authors' runs.",
         .owner = algorithms(KeyGroup::novelty)},
        {.section = "algorithm",
         .name = "explore_cells",
         .access = at<&A::explore_cells>,
         .description = "The parent when exploring: in proportion to novelty among the five most "
                        "novel cells; the same with 10 % of the mass over all cells; any cell.",
         .owner = algorithms(KeyGroup::parent_cells)},
        {.section = "algorithm",
         .name = "exploit_cells",
         .access = at<&A::exploit_cells>,
         .description = "The parent when exploiting: one of the two fittest cells or of the two "
                        "fittest of the last five updated; the fittest or any; any cell.",
         .owner = algorithms(KeyGroup::parent_cells)},
        {.section = "algorithm",
         .name = "objectives",
         .access = at<&A::objectives>,
         .description = "Several objectives from one batch of offspring: an update, an evaluation "
                        "and an offer to the map for each. Empty: one objective, as the mode says.",
         .rule = "none twice",
         .owner = algorithms(KeyGroup::modes)},
    };
}

std::vector<Key> genetic_keys()
{
    using A = AlgorithmSettings;
    return {
        {.section = "algorithm",
         .name = "children",
         .access = at<&A::children>,
         .description = "Children of a generation, each evaluated n_eval times.",
         .range = {1, 1e9},
         .owner = algorithms(KeyGroup::children)},
        {.section = "algorithm",
         .name = "parent_cells",
         .access = at<&A::parent_cells>,
         .description = "Whether a parent is drawn once a generation or for each child.",
         .owner = algorithms(KeyGroup::children)},
        {.section = "algorithm",
         .name = "variation",
         .access = at<&A::variation>,
         .description = "How a child differs: by normal noise, or also along the line to a second "
                        "elite.",
         .owner = algorithms(KeyGroup::children)},
        {.section = "algorithm",
         .name = "line_sigma",
         .access = at<&A::line_sigma>,
         .description = "iso-line: standard deviation along that line.",
         .range = {0, 1e6},
         .owner = algorithms(KeyGroup::children)},
    };
}

std::vector<Key> novelty_search_keys()
{
    using A = AlgorithmSettings;
    return {
        {.section = "algorithm",
         .name = "parents",
         .access = at<&A::parents>,
         .description = "Controllers that evolve side by side, each with its own optimiser.",
         .range = {1, 1e6},
         .owner = algorithms(KeyGroup::parents)},
        {.section = "algorithm",
         .name = "parent_choice",
         .access = at<&A::parent_choice>,
         .description = "Which evolves next: drawn in proportion to novelty, or in turn.",
         .owner = algorithms(KeyGroup::parents)},
        {.section = "algorithm",
         .name = "nsra_weight",
         .access = at<&A::nsra_weight>,
         .description = "Initial weight of fitness against novelty.",
         .range = {0, 1},
         .owner = algorithms(KeyGroup::nsra)},
        {.section = "algorithm",
         .name = "nsra_step",
         .access = at<&A::nsra_step>,
         .description = "By how much the weight rises and falls.",
         .range = {0, 1},
         .owner = algorithms(KeyGroup::nsra)},
        {.section = "algorithm",
         .name = "nsra_min_improvement",
         .access = at<&A::nsra_min_improvement>,
         .description = "The weight rises when the best is beaten by this share of its magnitude.",
         .range = {0, 1e6},
         .owner = algorithms(KeyGroup::nsra)},
        {.section = "algorithm",
         .name = "nsra_patience",
         .access = at<&A::nsra_patience>,
         .description = "The weight falls after so many generations without a rise.",
         .range = {1, 1e9},
         .owner = algorithms(KeyGroup::nsra)},
    };
}

std::vector<Key> emitter_keys()
{
    using A = AlgorithmSettings;
    return {
        {.section = "algorithm",
         .name = "emitters",
         .access = at<&A::emitters>,
         .description = "ES emitters that run side by side.",
         .range = {1, 1e6},
         .owner = algorithms(KeyGroup::emitters)},
        {.section = "algorithm",
         .name = "explore_share",
         .access = at<&A::explore_share>,
         .description = "Share of the emitters that explore; the others exploit.",
         .range = {0, 1},
         .owner = algorithms(KeyGroup::emitters)},
        {.section = "algorithm",
         .name = "emitter_patience",
         .access = at<&A::emitter_patience>,
         .description = "An emitter restarts from the map after so many generations without an "
                        "insertion.",
         .range = {1, 1e9},
         .owner = algorithms(KeyGroup::emitters)},
    };
}

}  // namespace

std::vector<Key> algorithm_keys()
{
    auto keys = common_keys();
    for (auto part : {&genetic_keys, &novelty_search_keys, &emitter_keys}) {
        auto const more = part();
        keys.insert(keys.end(), more.begin(), more.end());
    }
    return keys;
}

}  // namespace mees::detail
