#include "mees/experiment/adapt_options.hpp"

#include "mees/experiment/command_line.hpp"
#include "mees/experiment/common_options.hpp"
#include "mees/experiment/time_limit.hpp"

#include <utility>

namespace mees {
namespace {

constexpr char const* description =
    "Lets a damaged robot recover: finds, in a few trials, the controller of a map that works best "
    "in\n"
    "it (map-based Bayesian optimisation, M-BOA). Runs on this machine's cores, or under mpirun on "
    "all\n"
    "ranks. The same command line goes on where an earlier one stopped.";

constexpr char const* footer =
    "Damages (joined by commas: all at once; repeat --damage for one after the other):\n"
    "  J0, J3, a joint, a motor   it obeys only -0.01..0.01, as in the paper\n"
    "  paper                      the paper's twelve: J0..J7 and the four legs of the Ant\n"
    "  lock:JOINT                 the joint does not move\n"
    "  weak:MOTOR=0.3             the motor keeps 30 % of its strength\n"
    "  friction=0.5               all surfaces keep half of their friction\n"
    "  shorten:BODY=0.7           the limb keeps 70 % of its length\n"
    "  mass:BODY=+1.5             the body weighs 1.5 kg more\n"
    "Exit codes: 0 finished; 2 bad command line; 3 unusable map or file; 75 stopped early, damages "
    "that\n"
    "were done are saved (run the same command again); 1 anything else.";

void add_optimiser_options(CLI::App& app, RecoverySettings& settings)
{
    auto& optimiser = settings.optimiser;
    app.add_option("--trials", optimiser.trials, "Trials of a recovery [30]")
        ->type_name("N")
        ->check(CLI::Range(1, 10'000));
    app.add_option("--episodes-per-trial", settings.episodes_per_trial, "Episodes of a trial [2]")
        ->type_name("N")
        ->check(CLI::Range(1, 100));
    app.add_option("--score-episodes", settings.score_episodes,
                   "Episodes of each of the two final scores [30]")
        ->type_name("N")
        ->check(CLI::Range(2, 100'000));
    app.add_option("--rho", optimiser.rho,
                   "Length scale of the Matern 5/2 kernel, in BCs scaled to 0..1 [0.03]")
        ->type_name("X")
        ->check(CLI::Range(1e-6, 1e6));
    app.add_option("--kappa", optimiser.kappa,
                   "Weight of uncertainty in the choice of trials [0.3]")
        ->type_name("X")
        ->check(CLI::Range(0.0, 1e6));
    app.add_option("--noise-variance", optimiser.noise_variance,
                   "Variance of a trial, in fitness scaled to 0..1 [0.01]")
        ->type_name("X")
        ->check(CLI::Range(1e-12, 1e6));
    add_choice(app, "--acquisition", optimiser.acquisition,
               {{"variance", Acquisition::variance}, {"std", Acquisition::std}},
               "Uncertainty is the variance or its root, the standard deviation [variance]")
        ->type_name("KIND");
    app.add_option("--alpha", optimiser.alpha,
                   "Stop once the best trial reaches this share of the best prediction [off]")
        ->type_name("X")
        ->check(CLI::Range(1e-6, 1.0));
}

}  // namespace

Parsed<AdaptOptions> parse_adapt_options(int argc, char const* const* argv)
{
    AdaptOptions options;
    std::string limit;
    CommandLine line{"mees_adapt", description, footer};
    auto& app = line.app();
    app.add_option("map", options.map, "Map that any of the algorithms has made")
        ->type_name("MAP.h5")
        ->required();
    add_damages(app, options.damages, "What is broken")->required();
    app.add_option("--seeds", options.seeds, "Repetitions of each damage [1]")
        ->type_name("N")
        ->check(CLI::Range(1, 4000));
    app.add_option("--out", options.out, "Results [adapt.h5 beside the map]; a CSV goes beside it")
        ->type_name("FILE.h5");
    add_optimiser_options(app, options.settings);
    add_time_limit(app, limit);
    add_threads(app, options.threads);
    if (auto const text = line.parse(argc, argv)) {
        return {std::nullopt, *text};
    }
    if (options.out.empty()) {
        options.out = options.map.parent_path() / "adapt.h5";
    }
    if (!limit.empty()) {
        options.time_limit = parse_duration(limit);
    }
    return {std::move(options), {}};
}

}  // namespace mees
