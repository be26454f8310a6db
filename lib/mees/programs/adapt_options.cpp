#include "mees/core/error.hpp"
#include "mees/programs/detail/common_options.hpp"
#include "mees/programs/detail/options.hpp"
#include "mees/programs/detail/time_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace mees {
namespace {

constexpr char const* description =
    R"(Recover from damage: find, in a few trials, the controller of a map that works best on a damaged
robot (map-based Bayesian optimisation, M-BOA). Runs on the cores of this machine, or under
mpirun on all ranks. The same command resumes where an earlier one stopped.)";

constexpr char const* footer =
    R"(Damages (joined by commas: simultaneous; repeat --damage for separate recoveries):
  J0, J3, a joint, a motor   limited to actions in -0.01..0.01, as in the paper
  paper                      the paper's twelve: J0..J7 and the four legs of the Ant
  lock:JOINT                 the joint does not move
  weak:MOTOR=0.3             the motor keeps 30 % of its strength
  friction=0.5               all surfaces keep half of their friction
  shorten:BODY=0.7           the limb keeps 70 % of its length
  mass:BODY=+1.5             the body weighs 1.5 kg more
  mass=1.2, strength=0.8, damping=2, gravity=0.9
                             multiplied for all; strength:MOTOR=, damping:JOINT=: for one
A real robot: --ask prints {"cell": ..., "onnx": FILE, "finished": false, ...}; run that controller,
then --tell what was measured in --trial N, and so on until "finished" is true: "cell" is then the
answer.
Exit codes: 0 finished; 1 any other error; 2 invalid command line; 3 unusable map or file;
75 stopped early, completed damages saved (run the same command again to resume).)";

constexpr std::int64_t most_trials = 10'000;

constexpr std::array of_simulation{
    "--seeds",         "--episodes-per-trial", "--score-episodes", "--model",
    "--allow-command", "--time-limit",         "--threads",        "--force"};

void add_outside_options(CLI::App& app, AdaptOptions& options)
{
    app.add_flag("--ask", options.ask,
                 "Print the next trial to make on a real robot, as JSON, and write its ONNX file");
    add_real(app, "--tell", options.tell, -unbounded, unbounded,
             "Record the fitness that was measured in that trial");
    add_integer(app, "--trial", options.trial, 1, most_trials,
                "With --tell: number of the trial that was made, as --ask printed it; any other is "
                "refused, so that no value is recorded twice. Give it in calls with --tell and "
                "--ask");
    app.add_option_function<std::vector<std::string>>(
           "--prior",
           [&options](std::vector<std::string> const& files) {
               for (std::filesystem::path file : files) {
                   std::error_code error;
                   bool const folder = std::filesystem::is_regular_file(file / "map.h5", error);
                   options.priors.push_back(folder ? file / "map.h5" : file);
               }
           },
           "Another map for --ask and --tell: each trial is chosen from the map that explains the "
           "earlier ones best; repeatable")
        ->type_name("FILE")
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false);
}

/// What belongs together: simulated trials need a damage, those from elsewhere
/// have none.
void check_mode(AdaptOptions const& options)
{
    bool const outside = options.ask || options.tell;
    auto const reject = [](std::string const& why) {
        throw ConfigError{"invalid command line", why, "See mees_adapt --help."};
    };
    if (!outside && options.damages.empty()) {
        reject("--damage is required, or --ask and --tell for trials on a real robot");
    }
    if (options.trial && !options.tell) {
        reject("--trial is for --tell");
    }
    if (!outside && !options.priors.empty()) {
        reject("--prior is for --ask and --tell");
    }
    if (outside && !options.damages.empty()) {
        reject("--damage is for simulated trials, --ask and --tell are for those on a real robot");
    }
    for (auto const* name : of_simulation) {
        if (outside && std::ranges::find(options.given, name) != options.given.end()) {
            reject(fmt::format("{} has no effect on --ask and --tell", name));
        }
    }
}

void add_optimiser_options(CLI::App& app, RecoverySettings& settings)
{
    auto& optimiser = settings.optimiser;
    add_integer(app, "--trials", optimiser.trials, 1, most_trials, "Trials per recovery [30]");
    add_integer(app, "--episodes-per-trial", settings.episodes_per_trial, 1, 100,
                "Episodes per trial [2]");
    add_integer(app, "--score-episodes", settings.score_episodes, 2, 100'000,
                "Episodes for each of the two final scores [30]");
    add_real(app, "--rho", optimiser.rho, 1e-6, 1e6,
             "Length scale of the Matern 5/2 kernel, in BCs scaled to 0..1 [0.03]");
    add_real(app, "--kappa", optimiser.kappa, 0, 1e6,
             "Weight of the uncertainty when choosing trials [0.3]");
    add_real(app, "--noise-variance", optimiser.noise_variance, 1e-12, 1e6,
             "Variance of a trial, in fitness scaled to 0..1 [0.01]");
    add_choice(app, "--acquisition", optimiser.acquisition,
               {{"variance", Acquisition::variance}, {"std", Acquisition::std}},
               "Measure of the uncertainty: variance or standard deviation [variance]")
        ->type_name("KIND");
    add_real(app, "--alpha", optimiser.alpha, 1e-6, 1,
             "Stop when the best trial reaches this fraction of the best prediction [off]");
}

}  // namespace

Parsed<AdaptOptions> parse_adapt_options(int argc, char const* const* argv)
{
    AdaptOptions options;
    std::string limit;
    CommandLine line{"mees_adapt", description, footer};
    auto& app = line.app();
    add_map_file(app, options.map, "map", "Map file or run folder to adapt from")->required();
    add_damages(app, options.damages, "Damage to recover from");
    add_outside_options(app, options);
    add_integer(app, "--seeds", options.seeds, 1, 4000, "Repetitions per damage [1]");
    app.add_option("--out", options.out,
                   "Results file [adapt.h5 next to the map]; a CSV file is written next to it")
        ->type_name("FILE.h5");
    add_force(app, options.existing);
    add_model(app, options.model);
    add_allow_command(app, options.allow_command);
    add_optimiser_options(app, options.settings);
    add_time_limit(app, limit);
    add_threads(app, options.threads);
    if (auto const text = line.parse(argc, argv)) {
        return {std::nullopt, *text};
    }
    for (auto const* option : app.get_options()) {
        if (option->count() > 0) {
            options.given.push_back(option->get_name());
        }
    }
    check_mode(options);
    if (options.out.empty()) {
        options.out = options.map.parent_path() / "adapt.h5";
    }
    if (options.out.extension() == ".csv") {
        throw ConfigError{fmt::format("invalid --out {}", options.out.string()),
                          "the name with .csv is that of the table next to the results",
                          "Use a name such as adapt.h5."};
    }
    if (!limit.empty()) {
        options.time_limit = parse_duration(limit);
    }
    return {std::move(options), {}};
}

}  // namespace mees
