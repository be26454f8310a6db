#include "mees/experiment/options.hpp"

#include "mees/core/error.hpp"
#include "mees/experiment/command_line.hpp"
#include "mees/experiment/common_options.hpp"
#include "mees/experiment/time_limit.hpp"

#include <fmt/format.h>

namespace mees {
namespace {

constexpr char const* description =
    "Evolves a map of diverse, high-performing controllers (MAP-Elites with Evolution "
    "Strategies).\n"
    "Under mpirun rank 0 is the master and the others are workers; alone it uses this machine's\n"
    "cores. The same command line starts a run and resumes it, on any number of ranks.";

constexpr char const* footer =
    "Exit codes: 0 finished; 2 bad command line or configuration; 3 unusable file; 75 stopped "
    "early\n"
    "with everything saved (run the same command again); 1 anything else.\n"
    "Stop a run with SIGUSR1, SIGUSR2, SIGTERM, SIGINT, or by making the file STOP in its folder.";

}  // namespace

Parsed<MasterOptions> parse_master_options(int argc, char const* const* argv)
{
    MasterOptions options;
    std::string resume{"auto"};
    std::string limit;
    std::optional<std::int64_t> seed;
    std::optional<std::int64_t> generations;
    CommandLine line{"mees_master", description, footer};
    auto& app = line.app();
    app.add_option("config", options.config, "Configuration of the run, TOML")
        ->type_name("CONFIG.toml")
        ->required();
    app.add_option("--out", options.out, "Run folder [runs/<config name>-seed<seed>]")
        ->type_name("DIR");
    app.add_option("--resume", resume,
                   "auto: go on if DIR holds a checkpoint, else begin; never: begin anew (what is "
                   "there is moved to DIR/old-N); require: go on or fail [auto]")
        ->type_name("MODE")
        ->check(CLI::IsMember({"auto", "never", "require"}));
    app.add_option("--set", options.overrides,
                   "Set one key; wins over the file; may be given several times")
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
                 "Print the whole effective configuration as TOML, and exit");
    app.add_flag("--dry-run", options.dry_run,
                 "Check everything, print sizes and estimates, and exit; writes nothing");
    if (auto const text = line.parse(argc, argv)) {
        return {std::nullopt, *text};
    }
    options.resume = resume == "never"     ? Resume::never
                     : resume == "require" ? Resume::require
                                           : Resume::automatic;
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

}  // namespace mees
