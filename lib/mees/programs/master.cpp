#include "mees/programs/detail/master.hpp"

#include "mees/config/config.hpp"
#include "mees/core/error.hpp"
#include "mees/core/output.hpp"
#include "mees/experiment/estimate.hpp"
#include "mees/experiment/problem.hpp"
#include "mees/programs/detail/cluster_program.hpp"
#include "mees/programs/detail/command_line.hpp"
#include "mees/programs/detail/common_options.hpp"
#include "mees/programs/detail/domain_notes.hpp"
#include "mees/programs/detail/episode_cost.hpp"
#include "mees/programs/detail/open_settings.hpp"
#include "mees/programs/detail/self_test.hpp"
#include "mees/programs/detail/tables.hpp"
#include "mees/programs/detail/time_limit.hpp"
#include "mees/programs/detail/training.hpp"
#include "mees/programs/programs.hpp"
#include "mees/rollout/threads.hpp"

#include <fmt/format.h>

#include <iostream>

namespace mees {
namespace {

constexpr char const* description =
    R"(Evolve a map of diverse, high-performing controllers (MAP-Elites with Evolution Strategies).
Under mpirun, rank 0 is the master and the other ranks are workers; without mpirun the program
uses the cores of this machine. The same command starts a run and resumes it, on any number of
ranks.)";

constexpr char const* footer =
    R"(Exit codes: 0 finished; 1 any other error; 2 invalid command line or configuration; 3 unusable
file; 75 stopped early, state saved (run the same command again to resume).
Stop a run with SIGUSR1, SIGUSR2, SIGTERM, SIGINT, SIGHUP or SIGXCPU, or by creating the file STOP
in its folder.)";

/// The output of --show-config and --dry-run. Checks everything, writes nothing, needs no MPI.
std::string preview(MasterOptions const& options, Catalogue const& catalogue)
{
    auto const configuration =
        read_configuration(options.config, options.overrides, catalogue.names());
    auto const domain = catalogue.domains.make(configuration.settings.domain);
    auto const settings = complete(configuration, catalogue, domain->spec());
    auto const problem =
        make_problem(settings, domain->spec(), catalogue.algorithms, {.placeholders = true});
    if (options.show_config) {
        return to_toml(settings);
    }
    auto const warm = warm_start_of(options, *problem, domain->spec());
    auto const numbers = estimate(*problem, domain->document().get(), domain->spec().episode_steps,
                                  warm ? std::ssize(warm->start.elites) : 0);
    auto text = estimate_table(numbers, *problem, domain->spec())
                + time_estimate(numbers, domain->spec(), time_episode(*problem, domain),
                                thread_count(options.threads));
    for (auto const& note : notes_on(*domain, catalogue.domains, settings.domain.name)) {
        text += fmt::format("warning: {}\n", note);
    }
    return text;
}

/// Throws ConfigError for options that a self-test would ignore, and for a run without file.
void require_complete(MasterOptions const& options, CLI::App const& app)
{
    if (options.self_test) {
        for (auto const* option : app.get_options()) {
            if (option->count() > 0 && !option->check_name("--self-test")
                && !option->check_name("--threads")) {
                throw ConfigError{
                    "invalid command line",
                    fmt::format("--self-test has no use for {}", option->get_name(false, false)),
                    "See mees_master --help."};
            }
        }
    } else if (options.config.empty()) {
        throw ConfigError{"invalid command line", "config is required", "See mees_master --help."};
    }
}

}  // namespace

Parsed<MasterOptions> parse_master_options(int argc, char const* const* argv)
{
    MasterOptions options;
    std::string limit;
    std::optional<std::string> seed;
    std::optional<std::string> generations;
    CommandLine line{"mees_master", description, footer};
    auto& app = line.app();
    app.add_option("config", options.config, "Configuration file of the run (TOML)")
        ->type_name("CONFIG.toml");
    app.add_option("--out", options.out, "Run folder [runs/<config name>-seed<seed>]")
        ->type_name("DIR");
    add_choice(
        app, "--resume", options.resume,
        {{"auto", Resume::automatic}, {"never", Resume::never}, {"require", Resume::require}},
        "auto: resume if DIR contains a checkpoint, otherwise start; never: start over "
        "(existing files move to DIR/old-N); require: resume or fail [auto]")
        ->type_name("MODE");
    app.add_option("--set", options.overrides, "Set one key, overriding the file; repeatable")
        ->type_name("SECTION.KEY=VALUE")
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false);
    app.add_option("--seed", seed, "Short for --set run.seed=N")->type_name("N");
    app.add_option("--generations", generations, "Short for --set run.generations=N")
        ->type_name("N");
    add_time_limit(app, limit);
    add_threads(app, options.threads);
    app.add_flag("--show-config", options.show_config,
                 "Print the complete effective configuration as TOML and exit");
    app.add_flag("--dry-run", options.dry_run,
                 "Check the configuration, print sizes and estimates, and exit; write nothing");
    app.add_flag("--self-test", options.self_test,
                 "Test this build on this machine, in seconds and also under mpirun: domains, "
                 "training, checkpoints, resuming; takes no configuration");
    if (auto const text = line.parse(argc, argv)) {
        return {std::nullopt, *text};
    }
    require_complete(options, app);
    // As they are: the configuration checks them.
    if (seed) {
        options.overrides.push_back(fmt::format("run.seed={}", *seed));
    }
    if (generations) {
        options.overrides.push_back(fmt::format("run.generations={}", *generations));
    }
    if (!limit.empty()) {
        options.time_limit = parse_duration(limit);
    }
    return {std::move(options), {}};
}

int master_main(int argc, char** argv, Catalogue const& catalogue)
{
    auto const parse = [&]() -> Parsed<MasterOptions> {
        auto parsed = parse_master_options(argc, argv);
        if (parsed.options && (parsed.options->show_config || parsed.options->dry_run)) {
            return {std::nullopt, preview(*parsed.options, catalogue)};
        }
        return parsed;
    };
    return run_cluster_program(
        "mees_master", argc, argv, parse,
        [&](ClusterRuntime& runtime, MasterOptions const& options) {
            return options.self_test ? self_test(runtime, options.threads, catalogue, std::cout)
                                     : train(runtime, options, catalogue, progress_output());
        });
}

}  // namespace mees
