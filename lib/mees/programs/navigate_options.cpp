#include "mees/core/error.hpp"
#include "mees/programs/detail/common_options.hpp"
#include "mees/programs/detail/options.hpp"
#include "mees/programs/detail/time_limit.hpp"

#include <fmt/format.h>

#include <utility>

namespace mees {
namespace {

constexpr char const* navigate_description =
    R"(Reach targets with a damaged robot that is never reset (reset-free trial and error): plan with
the displacements that a map predicts, and learn from every action how they have changed. Runs on
the cores of this machine, or under mpirun on all ranks; each walk (a damage and a seed) is one unit
of work. The same command resumes where an earlier one stopped. The map's BC must be the
displacement (domain.bc = "displacement"; see docs/navigation.md).)";

constexpr char const* navigate_footer =
    R"(Targets: a TOML file with targets = [[x, y], ...], in metres; the robot starts at [0, 0], facing +x.
Arena: a TOML file with lower, upper, cell, robot_radius, [[box]] and [[circle]]; without it, an
empty square from [-10, -10] to [10, 10]. A target is reached within half a cell.
Damages: as for mees_adapt, such as J0,J1, paper, lock:JOINT, weak:MOTOR=0.3, friction=0.5.
Results of --no-learning and of learning go to the same file, for comparison.
A robot that has fallen is not helped: its targets fail after --max-actions actions each.
Exit codes: 0 finished; 1 any other error; 2 invalid command line, arena or targets; 3 unusable map
or file; 75 stopped early, completed walks saved (run the same command again to resume).)";

void add_planner_options(CLI::App& app, NavigationSettings& settings)
{
    auto& planner = settings.planner;
    add_integer(app, "--max-actions", settings.max_actions, 1, 10'000,
                "Actions after which a target has failed [100]");
    add_integer(app, "--iterations", planner.iterations, 1, 1'000'000,
                "Searches in each tree before an action [1000]");
    add_integer(app, "--trees", planner.trees, 1, 1000, "Trees, merged at their roots [4]");
    add_integer(app, "--candidates", planner.candidates, 1, 100'000,
                "Random elites of which a new action is the best [100]");
    add_integer(app, "--depth", planner.depth, 1, 1000, "Actions that a search looks ahead [20]");
    add_real(app, "--exploration", planner.exploration, 0, 1e6, "Constant c of the search [50]");
    add_real(app, "--curiosity", planner.curiosity, 0, 1e6,
             "Weight k of an action's uncertainty in the choice [0]");
    add_real(app, "--discount", planner.discount, 0, 1, "Discount of rewards per action [0.9]");
    add_real(app, "--variance", settings.model.variance, 1e-9, 1e6,
             "Prior variance of what elites with close BCs share [0.25]");
    add_real(app, "--length-scale", settings.model.length_scale, 1e-6, 1e6,
             "Length scale of their kernel, in BCs scaled to 0..1 [0.4]");
    add_real(app, "--elite-variance", settings.model.elite_variance, 0, 1e6,
             "Prior variance of what an elite shares with no other [0.1]");
    add_real(app, "--noise-variance", settings.model.noise_variance, 1e-9, 1e6,
             "Variance between repetitions of an elite [0.01]");
    add_real(app, "--rest", settings.rest_seconds, 0, 1000, "Seconds of rest after an action [1]");
}

void add_shown_walk(CLI::App& app, NavigateOptions& options)
{
    app.add_option("--video", options.video, "Film a walk: FILE.mp4, .gif or .png")
        ->type_name("FILE");
    app.add_option("--trajectory", options.trajectory,
                   "Record every control step of a walk in an HDF5 file")
        ->type_name("FILE.h5");
    app.add_option("--show-damage", options.shown_damage,
                   "Damage of the walk of --video and --trajectory [the first]")
        ->type_name("DAMAGE");
    add_integer(app, "--show-seed", options.shown_seed, 0, 3999, "Its seed [0]");
}

/// The walk to show must be one of those that are made, by its seed; its damage is checked later.
void check_shown_walk(CLI::App const& app, NavigateOptions const& options)
{
    bool const shows = !options.video.empty() || !options.trajectory.empty();
    for (auto const* name : {"--show-damage", "--show-seed"}) {
        if (!shows && app.get_option(name)->count() > 0) {
            throw ConfigError{"invalid command line",
                              fmt::format("{} chooses the walk of --video and --trajectory", name),
                              "Add one of them."};
        }
    }
    if (options.shown_seed >= options.seeds) {
        throw ConfigError{
            fmt::format("invalid --show-seed {}", options.shown_seed),
            fmt::format("the seeds of --seeds {} are 0 to {}", options.seeds, options.seeds - 1),
            "Choose one of them, or increase --seeds."};
    }
}

}  // namespace

Parsed<NavigateOptions> parse_navigate_options(int argc, char const* const* argv)
{
    NavigateOptions options;
    std::string limit;
    bool no_learning = false;
    CommandLine line{"mees_navigate", navigate_description, navigate_footer};
    auto& app = line.app();
    add_map_file(app, options.map, "map", "Map file or run folder, of a displacement BC")
        ->required();
    app.add_option("--targets", options.targets, "Targets, to be reached one after the other")
        ->type_name("FILE")
        ->required();
    app.add_option("--arena", options.arena, "Walls and obstacles [an empty square]")
        ->type_name("FILE");
    add_damages(app, options.damages, "Damage of the robot [none]");
    app.add_flag("--no-learning", no_learning,
                 "Trust the map's predictions: no Gaussian processes, no curiosity");
    add_integer(app, "--seeds", options.seeds, 1, 4000, "Walks per damage [1]");
    app.add_option("--out", options.out,
                   "Results file [nav.h5 next to the map]; a CSV file is written next to it")
        ->type_name("FILE.h5");
    add_shown_walk(app, options);
    add_real(app, "--min-fitness", options.least_fitness, -unbounded, unbounded,
             "Use elites with at least this fitness [all]");
    add_force(app, options.existing);
    add_model(app, options.model);
    add_planner_options(app, options.settings);
    add_time_limit(app, limit);
    add_threads(app, options.threads);
    if (auto const text = line.parse(argc, argv)) {
        return {std::nullopt, *text};
    }
    check_shown_walk(app, options);
    options.settings.learning = !no_learning;
    if (options.out.empty()) {
        options.out = options.map.parent_path() / "nav.h5";
    }
    if (options.out.extension() == ".csv") {
        throw ConfigError{fmt::format("invalid --out {}", options.out.string()),
                          "the name with .csv is that of the table next to the results",
                          "Use a name such as nav.h5."};
    }
    if (!limit.empty()) {
        options.time_limit = parse_duration(limit);
    }
    return {std::move(options), {}};
}

}  // namespace mees
