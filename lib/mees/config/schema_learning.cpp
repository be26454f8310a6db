#include "mees/config/schema.hpp"

namespace mees::detail {
namespace {

/// The algorithms that estimate gradients.
Owner gradient_algorithms()
{
    return {.selector = "algorithm.name", .group = KeyGroup::gradient};
}

std::vector<Key> policy_keys()
{
    return {
        {.section = "policy",
         .name = "hidden",
         .access = member<&Settings::policy, &PolicySettings::hidden>,
         .description = "Units of each hidden layer; every layer is followed by tanh.",
         .range = {1, 1e6}},
        {.section = "policy",
         .name = "init",
         .access = member<&Settings::policy, &PolicySettings::init>,
         .description = "Initial weights: normc (each unit's incoming weights are normal draws "
                        "scaled to norm 0.01) or xavier. Biases are initialised to 0."},
        {.section = "policy",
         .name = "hidden_norm",
         .access = member<&Settings::policy, &PolicySettings::hidden_norm>,
         .description = "That norm in the hidden layers (normc). 0.01 is the paper's; with 1, as "
                        "in the ES of Salimans et al., the hidden units respond to their inputs "
                        "from the first generation on.",
         .range = {0, 1e6},
         .owner = Owner{"policy.init", {name_of(PolicyInit::normc)}}},
        {.section = "policy",
         .name = "action_noise",
         .access = member<&Settings::policy, &PolicySettings::action_noise>,
         .description = "Standard deviation of the noise added to every action of a training "
                        "episode. Evaluation adds none.",
         .range = {0, 1e6},
         .owner = gradient_algorithms()},
        {.section = "policy",
         .name = "normalise_observations",
         .access = member<&Settings::policy, &PolicySettings::normalise_observations>,
         .description = "Whether inputs are normalised by the running mean and standard deviation "
                        "of the observations."},
        {.section = "policy",
         .name = "observation_fraction",
         .access = member<&Settings::policy, &PolicySettings::observation_fraction>,
         .description = "Fraction of the training episodes whose observations update that mean and "
                        "standard deviation.",
         .range = {0, 1}},
        {.section = "policy",
         .name = "observation_clip",
         .access = member<&Settings::policy, &PolicySettings::observation_clip>,
         .description =
             "Normalised inputs are clipped to plus or minus this value; 0: not clipped.",
         .range = {0, 1e6}},
    };
}

std::vector<Key> es_keys()
{
    return {
        {.section = "noise",
         .name = "table_size",
         .access = member<&Settings::noise, &NoiseSettings::table_size>,
         .description = "Entries of the shared table of normal draws, 4 bytes each, stored once "
                        "per node. At least twice the network's parameters.",
         .range = {2, 1e12}},
        {.section = "noise",
         .name = "seed",
         .access = member<&Settings::noise, &NoiseSettings::seed>,
         .description = "Determines the table.",
         .range = {0}},
        {.section = "es",
         .name = "population",
         .access = member<&Settings::es, &EsSettings::population>,
         .description = "Offspring per generation, in mirrored pairs.",
         .range = {2, 1e9},
         .rule = "even",
         .owner = gradient_algorithms()},
        {.section = "es",
         .name = "sigma",
         .access = member<&Settings::es, &EsSettings::sigma>,
         .description = "Standard deviation of the perturbation of each parameter.",
         .range = {1e-12, 1e6}},
        {.section = "es",
         .name = "learning_rate",
         .access = member<&Settings::es, &EsSettings::learning_rate>,
         .description = "Step size of the optimiser.",
         .range = {1e-12, 1e6},
         .owner = gradient_algorithms()},
        {.section = "es",
         .name = "l2",
         .access = member<&Settings::es, &EsSettings::l2>,
         .description = "Weight of the parameters themselves in the gradient (L2 regularisation).",
         .range = {0, 1e6},
         .owner = gradient_algorithms()},
        {.section = "es",
         .name = "optimizer",
         .access = member<&Settings::es, &EsSettings::optimizer>,
         .description = "adam (0.9, 0.999, 1e-8) or plain gradient descent.",
         .owner = gradient_algorithms()},
        {.section = "es",
         .name = "paired_seeds",
         .access = member<&Settings::es, &EsSettings::paired_seeds>,
         .description = "Whether both halves of a mirrored pair see the same environment seed.",
         .owner = gradient_algorithms()},
        {.section = "es",
         .name = "divide_by_sigma",
         .access = member<&Settings::es, &EsSettings::divide_by_sigma>,
         .description = "Whether the gradient is divided by sigma, as in the paper's formula; the "
                        "authors' runs do not.",
         .owner = gradient_algorithms()},
    };
}

}  // namespace

std::vector<Key> learning_keys()
{
    auto keys = policy_keys();
    auto const more = es_keys();
    keys.insert(keys.end(), more.begin(), more.end());
    return keys;
}

}  // namespace mees::detail
