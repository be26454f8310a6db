#include "mees/config/bounds.hpp"
#include "mees/config/detail/owners.hpp"

namespace mees::detail {
namespace {

constexpr Section<&Settings::algorithm> algorithm{"algorithm"};
using A = AlgorithmSettings;

std::vector<Key> common_keys()
{
    return {
        algorithm.key<&A::name>(
            "name",
            "me-es is the paper's algorithm; me-ga, ns-es, nsr-es, nsra-es and es are its "
            "baselines; memes runs several ES emitters in parallel; ga, ns and nslc are population-"
            "based: a genetic algorithm, novelty search, and novelty search with local "
            "competition; cma-mae and cma-me run several ES emitters that optimise improvement of "
            "the map; cma-mega searches along estimated gradients of fitness and BC."),
        algorithm.key<&A::mode>("mode",
                                "What ME-ES optimises: novelty, fitness, or the two in turn.",
                                {.owner = algorithms(KeyGroup::modes)}),
        algorithm.key<&A::mode_schedule>(
            "mode_schedule",
            "With explore-exploit: the modes alternate (exploit "
            "first), or each is drawn at random, explore with "
            "explore_probability.",
            {.owner = Owner{"algorithm.mode", {name_of(SearchMode::explore_exploit)}}}),
        algorithm.key<&A::explore_probability>(
            "explore_probability", "Probability that the coin chooses explore.",
            {.range = {0, 1},
             .owner = Owner{"algorithm.mode_schedule", {name_of(ModeSchedule::coin)}}}),
        algorithm.key<&A::n_optim_gens>("n_optim_gens",
                                        "Generations until the next parent cell is drawn.",
                                        {.range = {1, 1e9}, .owner = algorithms(KeyGroup::modes)}),
        algorithm.key<&A::n_eval>(
            "n_eval", "Episodes that measure a controller before it is offered to the map.",
            {.range = {1, 1e6}}),
        algorithm.key<&A::confirm_offspring>(
            "confirm_offspring",
            "Offspring per generation (memes: of each emitter) that are evaluated n_eval times and "
            "offered to the map: those that would improve their cells most. 0: none.",
            {.range = {0, 1e6},
             .rule = "at most es.population",
             .owner = algorithms(KeyGroup::es_step)}),
        algorithm.key<&A::confirm_margin>(
            "confirm_margin",
            "Confirmed offspring are offered with their mean fitness minus this many standard "
            "errors, so that the map does not overestimate those that were lucky.",
            {.range = {0, 10},
             .rule = "0 unless confirm_offspring is positive and n_eval at least 2",
             .owner = algorithms(KeyGroup::es_step)}),
    };
}

std::vector<Key> selection_keys()
{
    return {
        algorithm.key<&A::novelty_k>(
            "novelty_k", "Number of nearest behaviours whose mean distance is the novelty.",
            {.range = {1, 1e6}, .owner = algorithms(KeyGroup::novelty)}),
        algorithm.key<&A::novelty_metric>(
            "novelty_metric", "Euclidean distance, or its square as in the authors' runs.",
            {.owner = algorithms(KeyGroup::novelty)}),
        algorithm.key<&A::explore_cells>(
            "explore_cells",
            "How a parent cell is drawn when exploring: in proportion to novelty among the five "
            "most novel cells; the same with 10 % of the probability spread over all cells; "
            "uniformly.",
            {.owner = algorithms(KeyGroup::parent_cells)}),
        algorithm.key<&A::exploit_cells>(
            "exploit_cells",
            "How a parent cell is drawn when exploiting: one of the two fittest cells or of the "
            "two fittest of the last five updated; the fittest or any; uniformly.",
            {.owner = algorithms(KeyGroup::parent_cells)}),
        algorithm.key<&A::objectives>(
            "objectives",
            "Several objectives from one batch of offspring: each gives an update, which is "
            "evaluated and offered to the map. Empty: one objective, that of the mode. max-var and "
            "max-ent need es.seeds = \"generation\", which is then the default.",
            {.rule = "or weighted sums such as \"0.5*fitness + 0.5*novelty\", without duplicates",
             .owner = algorithms(KeyGroup::modes)}),
        algorithm.key<&A::kernel_width>(
            "kernel_width",
            "Objective max-ent: width of the kernel that estimates the density of the offspring's "
            "behaviours, as a fraction of the map's bounds.",
            {.range = {0.001, 10}, .owner = algorithms(KeyGroup::modes)}),
    };
}

std::vector<Key> chain_keys()
{
    auto const owner = algorithms(KeyGroup::chains);
    return {
        algorithm.key<&A::chain_links>(
            "chain_links",
            "A solution is a chain of at most this many controllers (links), which act one after "
            "the other; only the last of them is optimised. 1: single controllers.",
            {.range = {1, bounds::chain_links}, .owner = owner}),
        algorithm.key<&A::chain_steps>(
            "chain_steps",
            "Control steps for which each link acts; the last acts to the end of the episode.",
            {.range = {1, 1e9},
             .rule = "chain_steps * (chain_links - 1) below the domain's episode length",
             .owner = owner}),
        algorithm.key<&A::chain_append>(
            "chain_append",
            "Probability that a search that restarts at a cell appends a link to its elite instead "
            "of improving the last one, while the chain is shorter than chain_links. 0: none; "
            "chains are those of the map that run.start_from names.",
            {.range = {0, 1},
             .rule = "above 0 if chain_links is above 1 and run.start_from is not set",
             .owner = owner}),
        algorithm.key<&A::chain_start>(
            "chain_start",
            "What an appended link starts from: a copy of the chain's last link, the last link of "
            "an elite drawn uniformly, or the network as it was initialised for generation 0.",
            {.owner = owner}),
    };
}

std::vector<Key> genetic_keys()
{
    return {
        algorithm.key<&A::children>(
            "children",
            "Children per generation, each evaluated n_eval times and offered "
            "to the map.",
            {.range = {1, 1e9}, .owner = algorithms(KeyGroup::children)}),
        algorithm.key<&A::parent_cells>(
            "parent_cells", "Whether a parent is drawn once per generation or for each child.",
            {.owner = algorithms(KeyGroup::variation)}),
        algorithm.key<&A::variation>("variation",
                                     "How a child differs from its parent: by normal noise, or "
                                     "also along the line to a second elite.",
                                     {.owner = algorithms(KeyGroup::variation)}),
        algorithm.key<&A::line_sigma>(
            "line_sigma", "Standard deviation along that line (iso-line).",
            {.range = {0, 1e6},
             .owner = Owner{"algorithm.variation", {name_of(Variation::iso_line)}}}),
    };
}

std::vector<Key> truncation_keys()
{
    return {
        algorithm.key<&A::truncation>(
            "truncation",
            "The best controllers of a generation that become parents of the next. If it is not "
            "set, with at most 20 children: half of them.",
            {.range = {1, 1e6},
             .rule = "at most children",
             .owner = algorithms(KeyGroup::truncation)}),
        algorithm.key<&A::elite_candidates>(
            "elite_candidates",
            "The fittest of a generation and the elite so far, this many, are evaluated again; the "
            "best of them is the elite, the first parent of the next generation. If it is not set: "
            "not more than truncation.",
            {.range = {1, 1e6},
             .rule = "at most truncation",
             .owner = algorithms(KeyGroup::elite)}),
        algorithm.key<&A::elite_episodes>(
            "elite_episodes", "Episodes of each of these new evaluations.",
            {.range = {1, 1e6}, .owner = algorithms(KeyGroup::elite)}),
        algorithm.key<&A::archive_probability>(
            "archive_probability", "Probability that a child's behaviour joins the archive.",
            {.range = {0, 1}, .owner = algorithms(KeyGroup::archive_sample)}),
    };
}

std::vector<Key> novelty_search_keys()
{
    return {
        algorithm.key<&A::parents>(
            "parents", "Controllers that evolve in parallel, each with its own optimiser.",
            {.range = {1, 1e6}, .owner = algorithms(KeyGroup::parents)}),
        algorithm.key<&A::parent_choice>(
            "parent_choice",
            "Which of them takes the next step: drawn in proportion to novelty, or in turn.",
            {.owner = algorithms(KeyGroup::parents)}),
        algorithm.key<&A::nsra_weight>("nsra_weight",
                                       "Initial weight of fitness relative to novelty.",
                                       {.range = {0, 1}, .owner = algorithms(KeyGroup::nsra)}),
        algorithm.key<&A::nsra_step>("nsra_step", "By how much the weight increases and decreases.",
                                     {.range = {0, 1}, .owner = algorithms(KeyGroup::nsra)}),
        algorithm.key<&A::nsra_min_improvement>(
            "nsra_min_improvement",
            "The weight increases when the best fitness improves by this fraction of its "
            "magnitude.",
            {.range = {0, 1e6}, .owner = algorithms(KeyGroup::nsra)}),
        algorithm.key<&A::nsra_patience>(
            "nsra_patience",
            "The weight decreases after this many generations without an increase.",
            {.range = {1, 1e9}, .owner = algorithms(KeyGroup::nsra)}),
    };
}

std::vector<Key> emitter_keys()
{
    return {
        algorithm.key<&A::starts>(
            "starts",
            "Searches that start from different initial parameters; after every start_generations "
            "generations the fitter half of them continues, until one is left.",
            {.range = {1, 1000}, .owner = algorithms(KeyGroup::starts)}),
        algorithm.key<&A::start_generations>(
            "start_generations", "Generations after which half of the starts end.",
            {.range = {1, 1e9}, .owner = algorithms(KeyGroup::starts)}),
        algorithm.key<&A::emitters>("emitters", "Number of ES emitters that run in parallel.",
                                    {.range = {1, 1e6}, .owner = algorithms(KeyGroup::emitters)}),
        algorithm.key<&A::explore_share>(
            "explore_share", "Fraction of the emitters that explore; the others exploit.",
            {.range = {0, 1}, .owner = algorithms(KeyGroup::memes)}),
        algorithm.key<&A::emitter_patience>(
            "emitter_patience",
            "An emitter restarts from the map after this many generations without an insertion.",
            {.range = {1, 1e9}, .owner = algorithms(KeyGroup::memes)}),
        algorithm.key<&A::novelty_window>(
            "novelty_window",
            "Novelty is computed against this many behaviours, the last of the archive; 0: all.",
            {.range = {0, 1e9},
             .rule = "0 or at least novelty_k",
             .owner = algorithms(KeyGroup::memes)}),
        algorithm.key<&A::emitter_optimizer>(
            "emitter_optimizer",
            "How an emitter moves: a gradient step of es.optimizer on mirrored offspring, or "
            "separable CMA-ES, which adapts es.sigma and a scale of each parameter and samples "
            "without mirroring: keys of a gradient step or of mirrored pairs then have no effect.",
            {.owner = algorithms(KeyGroup::improvement)}),
        algorithm.key<&A::coefficient_sigma>(
            "coefficient_sigma",
            "Initial standard deviation of the coefficients of the gradients, each of length 1.",
            {.range = {1e-12, 1e6}, .owner = algorithms(KeyGroup::coefficients)}),
        algorithm.key<&A::threshold_rate>(
            "threshold_rate",
            "How fast a cell's acceptance threshold follows the fitness that it accepts. 0: it "
            "stays at threshold_floor, and the search optimises fitness. 1: it is the mean fitness "
            "of what the cell accepted in one generation. cma-me differs: its threshold is the "
            "cell's best fitness, and discoveries come first, without a floor.",
            {.range = {0, 1}, .owner = algorithms(KeyGroup::thresholds)}),
        algorithm.key<&A::threshold_floor>(
            "threshold_floor",
            "Threshold of a cell that has accepted nothing: the lowest fitness of interest. If it "
            "is not set: map.qd_offset.",
            {.range = {-bounds::largest_outcome, bounds::largest_outcome},
             .owner = algorithms(KeyGroup::thresholds)}),
    };
}

}  // namespace

std::vector<Key> algorithm_keys()
{
    auto keys = common_keys();
    for (auto part : {&selection_keys, &chain_keys, &genetic_keys, &truncation_keys,
                      &novelty_search_keys, &emitter_keys}) {
        auto const more = part();
        keys.insert(keys.end(), more.begin(), more.end());
    }
    return keys;
}

}  // namespace mees::detail
