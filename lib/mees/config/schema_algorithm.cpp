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
         .description = "me-es is the paper's algorithm; me-ga, ns-es, nsr-es, nsra-es and es are "
                        "its baselines; memes runs several ES emitters in parallel."},
        {.section = "algorithm",
         .name = "mode",
         .access = at<&A::mode>,
         .description = "What ME-ES optimises: novelty, fitness, or the two in turn.",
         .owner = algorithms(KeyGroup::modes)},
        {.section = "algorithm",
         .name = "mode_schedule",
         .access = at<&A::mode_schedule>,
         .description = "With explore-exploit: the modes alternate (exploit first), or each is "
                        "drawn with probability 0.5.",
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
    };
}

std::vector<Key> selection_keys()
{
    using A = AlgorithmSettings;
    return {
        {.section = "algorithm",
         .name = "novelty_k",
         .access = at<&A::novelty_k>,
         .description = "Number of nearest behaviours whose mean distance is the novelty.",
         .range = {1, 1e6},
         .owner = algorithms(KeyGroup::novelty)},
        {.section = "algorithm",
         .name = "novelty_metric",
         .access = at<&A::novelty_metric>,
         .description = "Euclidean distance, or its square as in the authors' runs.",
         .owner = algorithms(KeyGroup::novelty)},
        {.section = "algorithm",
         .name = "explore_cells",
         .access = at<&A::explore_cells>,
         .description = "How a parent cell is drawn when exploring: in proportion to novelty among "
                        "the five most novel cells; the same with 10 % of the probability spread "
                        "over all cells; uniformly.",
         .owner = algorithms(KeyGroup::parent_cells)},
        {.section = "algorithm",
         .name = "exploit_cells",
         .access = at<&A::exploit_cells>,
         .description =
             "How a parent cell is drawn when exploiting: one of the two fittest cells or of the "
             "two fittest of the last five updated; the fittest or any; uniformly.",
         .owner = algorithms(KeyGroup::parent_cells)},
        {.section = "algorithm",
         .name = "objectives",
         .access = at<&A::objectives>,
         .description =
             "Several objectives from one batch of offspring: each gives an update, which is "
             "evaluated and offered to the map. Empty: one objective, that of the mode.",
         .rule = "without duplicates",
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
         .description = "Children per generation, each evaluated n_eval times.",
         .range = {1, 1e9},
         .owner = algorithms(KeyGroup::children)},
        {.section = "algorithm",
         .name = "parent_cells",
         .access = at<&A::parent_cells>,
         .description = "Whether a parent is drawn once per generation or for each child.",
         .owner = algorithms(KeyGroup::children)},
        {.section = "algorithm",
         .name = "variation",
         .access = at<&A::variation>,
         .description = "How a child differs from its parent: by normal noise, or also along the "
                        "line to a second elite.",
         .owner = algorithms(KeyGroup::children)},
        {.section = "algorithm",
         .name = "line_sigma",
         .access = at<&A::line_sigma>,
         .description = "Standard deviation along that line (iso-line).",
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
         .description = "Controllers that evolve in parallel, each with its own optimiser.",
         .range = {1, 1e6},
         .owner = algorithms(KeyGroup::parents)},
        {.section = "algorithm",
         .name = "parent_choice",
         .access = at<&A::parent_choice>,
         .description =
             "Which of them takes the next step: drawn in proportion to novelty, or in turn.",
         .owner = algorithms(KeyGroup::parents)},
        {.section = "algorithm",
         .name = "nsra_weight",
         .access = at<&A::nsra_weight>,
         .description = "Initial weight of fitness relative to novelty.",
         .range = {0, 1},
         .owner = algorithms(KeyGroup::nsra)},
        {.section = "algorithm",
         .name = "nsra_step",
         .access = at<&A::nsra_step>,
         .description = "By how much the weight increases and decreases.",
         .range = {0, 1},
         .owner = algorithms(KeyGroup::nsra)},
        {.section = "algorithm",
         .name = "nsra_min_improvement",
         .access = at<&A::nsra_min_improvement>,
         .description = "The weight increases when the best fitness improves by this fraction of "
                        "its magnitude.",
         .range = {0, 1e6},
         .owner = algorithms(KeyGroup::nsra)},
        {.section = "algorithm",
         .name = "nsra_patience",
         .access = at<&A::nsra_patience>,
         .description = "The weight decreases after this many generations without an increase.",
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
         .description = "Number of ES emitters that run in parallel.",
         .range = {1, 1e6},
         .owner = algorithms(KeyGroup::emitters)},
        {.section = "algorithm",
         .name = "explore_share",
         .access = at<&A::explore_share>,
         .description = "Fraction of the emitters that explore; the others exploit.",
         .range = {0, 1},
         .owner = algorithms(KeyGroup::emitters)},
        {.section = "algorithm",
         .name = "emitter_patience",
         .access = at<&A::emitter_patience>,
         .description =
             "An emitter restarts from the map after this many generations without an insertion.",
         .range = {1, 1e9},
         .owner = algorithms(KeyGroup::emitters)},
    };
}

}  // namespace

std::vector<Key> algorithm_keys()
{
    auto keys = common_keys();
    for (auto part : {&selection_keys, &genetic_keys, &novelty_search_keys, &emitter_keys}) {
        auto const more = part();
        keys.insert(keys.end(), more.begin(), more.end());
    }
    return keys;
}

}  // namespace mees::detail
