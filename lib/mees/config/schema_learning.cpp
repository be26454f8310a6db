#include "mees/config/detail/owners.hpp"

namespace mees::detail {
namespace {

constexpr Section<&Settings::policy> policy{"policy"};
constexpr Section<&Settings::noise> noise{"noise"};
constexpr Section<&Settings::es> es{"es"};
using P = PolicySettings;
using N = NoiseSettings;
using E = EsSettings;

std::vector<Key> policy_keys()
{
    return {
        policy.key<&P::hidden>("hidden",
                               "Units of each hidden layer; every layer is followed by tanh.",
                               {.range = {1, 1e6}, .rule = "at most 62 layers"}),
        policy.key<&P::init>("init",
                             "Initial weights: normc (each unit's incoming weights are normal "
                             "draws scaled to norm 0.01) or xavier. Biases are initialised to 0."),
        policy.key<&P::hidden_norm>(
            "hidden_norm",
            "That norm in the hidden layers (normc). 0.01 is the value of the authors' code (the "
            "paper "
            "gives none); with 1, as in the ES of Salimans et al., the hidden units respond to "
            "their inputs from the first generation on.",
            {.range = {0, 1e6}, .owner = Owner{"policy.init", {name_of(PolicyInit::normc)}}}),
        policy.key<&P::output>("output",
                               "Activation of the last layer. The actions of a linear one are "
                               "unbounded; the model's control ranges clamp them."),
        policy.key<&P::action_noise>(
            "action_noise",
            "Standard deviation of the noise added to every action of a "
            "training episode. Evaluation adds none.",
            {.range = {0, 1e6}, .owner = algorithms(KeyGroup::training_episodes)}),
        policy.key<&P::normalise_observations>("normalise_observations",
                                               "Whether inputs are normalised by the running mean "
                                               "and standard deviation of the observations."),
        policy.key<&P::observation_fraction>("observation_fraction",
                                             "Fraction of the training episodes whose observations "
                                             "update that mean and standard deviation.",
                                             {.range = {0, 1}}),
        policy.key<&P::observation_clip>(
            "observation_clip",
            "Normalised inputs are clipped to plus or minus this value; 0: not clipped.",
            {.range = {0, 1e6}}),
    };
}

std::vector<Key> noise_keys()
{
    return {
        noise.key<&N::table_size>("table_size",
                                  "Entries of the shared table of normal draws, 4 bytes each, "
                                  "stored once per node. At least twice the network's parameters.",
                                  {.range = {2, 1e12}}),
        noise.key<&N::seed>("seed", "Determines the table.", {.range = {0}}),
    };
}

std::vector<Key> es_keys()
{
    return {
        es.key<&E::population>(
            "population", "Offspring per generation, in mirrored pairs.",
            {.range = {2, 1e9}, .rule = "even", .owner = algorithms(KeyGroup::offspring)}),
        es.key<&E::sigma>("sigma", "Standard deviation of the perturbation of each parameter.",
                          {.range = {1e-12, 1e6}}),
        es.key<&E::learning_rate>("learning_rate", "Step size of the optimiser.",
                                  {.range = {1e-12, 1e6}, .owner = algorithms(KeyGroup::gradient)}),
        es.key<&E::l2>("l2",
                       "Weight of the parameters themselves in the gradient (L2 regularisation).",
                       {.range = {0, 1e6}, .owner = algorithms(KeyGroup::gradient)}),
        es.key<&E::optimizer>(
            "optimizer",
            "adam (0.9, 0.999, 1e-8), plain gradient descent, or clipup: normalised gradient, "
            "momentum 0.9 and a speed limit, with learning_rate as step.",
            {.owner = algorithms(KeyGroup::gradient)}),
        es.key<&E::clipup_speed>(
            "clipup_speed", "The longest step of clipup.",
            {.range = {1e-12, 1e6},
             .owner = Owner{"es.optimizer", {name_of(OptimiserKind::clipup)}}}),
        es.key<&E::optimizer_state>(
            "optimizer_state",
            "What a cycle that starts from an elite begins with: zeros, or the optimiser's state "
            "with which that elite was found (stored in the map).",
            {.owner = algorithms(KeyGroup::parent_cells)}),
    };
}

/// How the offspring of a step are evaluated and weighted.
std::vector<Key> offspring_keys()
{
    return {
        es.key<&E::seeds>("seeds",
                          "Which offspring share initial states: none, both of a mirrored pair, or "
                          "all of a generation.",
                          {.owner = algorithms(KeyGroup::offspring)}),
        es.key<&E::paired_seeds>("paired_seeds", "true is another spelling of seeds = \"pair\".",
                                 {.owner = algorithms(KeyGroup::offspring)}),
        es.key<&E::episodes_per_offspring>(
            "episodes_per_offspring",
            "Episodes of each offspring; their mean fitness and BC count.",
            {.range = {1, 1e6}, .owner = algorithms(KeyGroup::training_episodes)}),
        es.key<&E::steps_per_generation>(
            "steps_per_generation",
            "Further populations are added to a generation until its offspring have made this many "
            "control steps. 0: one population.",
            {.range = {0, 1e15}, .owner = algorithms(KeyGroup::es_step)}),
        es.key<&E::direction_fraction>(
            "direction_fraction",
            "Share of the mirrored pairs that form the gradient: those "
            "whose better offspring is best.",
            {.range = {1e-9, 1}, .owner = algorithms(KeyGroup::directions)}),
        es.key<&E::utility>("utility",
                            "Weights of the offspring in the gradient: centred ranks, or values "
                            "divided by the standard deviation of those used.",
                            {.owner = algorithms(KeyGroup::utilities)}),
        es.key<&E::sigma_decay>("sigma_decay",
                                "Factor of sigma per ES step of a controller since it was sampled.",
                                {.range = {1e-9, 1}, .owner = algorithms(KeyGroup::offspring)}),
        es.key<&E::sigma_limit>("sigma_limit", "The lowest value that the decay reaches.",
                                {.range = {0, 1e6},
                                 .rule = "at most es.sigma",
                                 .owner = algorithms(KeyGroup::offspring)}),
        es.key<&E::learning_rate_decay>(
            "learning_rate_decay",
            "Factor of learning_rate per ES step of a controller since it was sampled.",
            {.range = {1e-9, 1}, .owner = algorithms(KeyGroup::gradient)}),
        es.key<&E::learning_rate_limit>("learning_rate_limit",
                                        "The lowest value that the decay reaches.",
                                        {.range = {0, 1e6},
                                         .rule = "at most es.learning_rate",
                                         .owner = algorithms(KeyGroup::gradient)}),
        es.key<&E::divide_by_sigma>("divide_by_sigma",
                                    "Whether the gradient is divided by sigma, as in the paper's "
                                    "formula; the authors' runs do not.",
                                    {.owner = algorithms(KeyGroup::gradient)}),
    };
}

}  // namespace

std::vector<Key> learning_keys()
{
    auto keys = policy_keys();
    for (auto part : {&noise_keys, &es_keys, &offspring_keys}) {
        auto const more = part();
        keys.insert(keys.end(), more.begin(), more.end());
    }
    return keys;
}

}  // namespace mees::detail
