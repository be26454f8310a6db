#include "mees/experiment/master.hpp"

#include "mees/cluster/mpi_evaluator.hpp"
#include "mees/config/config.hpp"
#include "mees/core/log.hpp"
#include "mees/core/version.hpp"
#include "mees/es/noise_table.hpp"
#include "mees/experiment/estimate.hpp"
#include "mees/experiment/problem.hpp"
#include "mees/experiment/run.hpp"
#include "mees/experiment/run_folder.hpp"
#include "mees/experiment/time_limit.hpp"
#include "mees/rollout/thread_evaluator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mees {
namespace {

/// What rank 0 has made ready before anybody begins to work.
struct Prepared {
    Settings settings;
    std::shared_ptr<Domain const> domain;
    SearchProblem problem;
    RunFolder folder;
    MapDocument document;
    bool resumed;
};

log::Level level_named(std::string const& name)
{
    if (name == "debug") {
        return log::Level::debug;
    }
    if (name == "warning") {
        return log::Level::warning;
    }
    return name == "error" ? log::Level::error : log::Level::info;
}

MapDocument new_document(SearchProblem const& problem, TaskSpec const& spec)
{
    RunInfo info;
    info.domain = problem.settings.domain.name;
    info.algorithm = problem.settings.algorithm.name;
    info.seed = problem.settings.run.seed;
    info.model_sha256 = spec.model_sha256;
    return {info,
            spec.bc_names,
            problem.network,
            problem.settings.map.qd_offset,
            initial_state(problem),
            {}};
}

Settings stored_settings(MapDocument const& stored, RunFolder const& folder)
{
    try {
        return parse_settings(stored.run.config, "the stored configuration", {}, {});
    } catch (ConfigError const& error) {
        throw FileError{fmt::format("the run in {} cannot be resumed", folder.path().string()),
                        error.what(), "Use the version of mees that began it."};
    }
}

/// Throws FileError if the stored run is not the one that these settings ask for.
void check_resumable(MapDocument const& stored, SearchProblem const& problem, TaskSpec const& spec,
                     RunFolder const& folder)
{
    auto differences =
        differences_that_forbid_resume(stored_settings(stored, folder), problem.settings);
    if (stored.network != problem.network) {
        differences.push_back(fmt::format("network: {} is stored, {} is asked for",
                                          fmt::join(stored.network.layers(), " x "),
                                          fmt::join(problem.network.layers(), " x ")));
    }
    if (!(stored.state.map.space() == problem.space)) {
        differences.emplace_back("the map's cells differ");
    }
    if (stored.run.model_sha256 != spec.model_sha256) {
        differences.emplace_back("the domain's model differs from the one it was begun with");
    }
    if (!differences.empty()) {
        throw FileError{
            fmt::format("the run in {} cannot be resumed", folder.path().string()),
            fmt::format("{}", fmt::join(differences, "; ")),
            "Use the configuration it was begun with, or give another folder with --out."};
    }
    if (stored.run.mujoco_version != engine_version()) {
        log::warning("this run was begun with MuJoCo {}, this is {}: results may differ",
                     stored.run.mujoco_version, engine_version());
    }
}

Prepared prepare(MasterOptions const& options, DomainRegistry const& domains)
{
    auto const configuration =
        read_configuration(options.config, options.overrides, domains.names());
    auto const& settings = configuration.settings;
    auto domain = domains.make(settings.domain);
    auto problem = make_problem(settings, domain->spec());
    auto document = new_document(problem, domain->spec());

    RunFolder folder{
        options.out.empty() ? default_folder(options.config, settings.run.seed) : options.out,
        options.resume};
    auto checkpoint = folder.take_checkpoint();
    bool const resumed = checkpoint.has_value();
    if (resumed) {
        check_resumable(*checkpoint, problem, domain->spec(), folder);
        document = std::move(*checkpoint);
        ++document.run.restarts;
    }
    log::set_level(level_named(settings.log.level));
    log::open_file(folder.path() / "mees.log");
    log::info("mees_master {} ({}) {} {}", version(), git_commit(), resumed ? "resumes" : "begins",
              folder.path().string());
    if (auto const foreign = foreign_keys(configuration); !foreign.empty()) {
        log::info("keys without effect here: {}", fmt::join(foreign, ", "));
    }
    document.run.mees_version = version();
    document.run.git_commit = git_commit();
    document.run.mujoco_version = engine_version();
    document.run.config = to_toml(settings);
    folder.write_config(document.run.config);
    return {settings,          std::move(domain),   std::move(problem),
            std::move(folder), std::move(document), resumed};
}

ExitCode run_search(Prepared& prepared, Evaluator& evaluator, std::int32_t workers,
                    MasterOptions const& options)
{
    auto const& settings = prepared.settings;
    std::vector<double> seconds;
    for (auto const& row : prepared.document.timing) {
        seconds.push_back(row.seconds);
    }
    RunReport report{prepared.folder.path(),
                     prepared.problem,
                     prepared.document.bc_names,
                     {prepared.document.state.history, seconds}};
    CheckpointWriter checkpoints{prepared.folder.path(), settings.checkpoint};
    StopToken stop{deadline(options.time_limit), prepared.folder.stop_file()};
    Run run{
        std::move(prepared.document), prepared.problem, evaluator, workers, checkpoints, report};
    run.go(stop);
    auto timing = evaluator.timing();
    // On a cluster the master comes first; its share is told as update and checkpoint.
    timing.erase(timing.begin(), timing.end() - workers);
    report.finish(run.state(), run.finished() ? "" : stop.describe(),
                  {std::move(timing), run.update_seconds(), run.checkpoint_seconds()});
    return run.finished() ? ExitCode::success : ExitCode::stopped_early;
}

}  // namespace

std::string preview(MasterOptions const& options, DomainRegistry const& domains)
{
    auto const settings = read_settings(options.config, options.overrides, domains.names());
    auto const domain = domains.make(settings.domain);
    auto const problem = make_problem(settings, domain->spec());
    return options.show_config ? to_toml(settings)
                               : describe(estimate(problem), problem, domain->spec());
}

ExitCode run_master(ClusterRuntime& runtime, MasterOptions const& options,
                    DomainRegistry const& domains)
{
    std::optional<Prepared> prepared;
    if (runtime.is_master()) {
        prepared.emplace(prepare(options, domains));
    }
    auto const toml = runtime.broadcast(prepared ? prepared->document.run.config : std::string{});
    auto const settings = parse_settings(toml, "the master's configuration", {}, domains.names());
    auto const setup =
        make_rollout(settings, prepared ? prepared->domain : domains.make(settings.domain));
    runtime.meet();

    auto const noise_seed = static_cast<std::uint64_t>(settings.noise.seed);
    if (runtime.size() == 1) {
        auto const threads = thread_count(options.threads);
        auto const noise = make_noise_table(settings.noise.table_size, noise_seed, threads);
        ThreadEvaluator evaluator{setup, noise, threads};
        return run_search(*prepared, evaluator, static_cast<std::int32_t>(threads), options);
    }
    SharedNoiseTable const noise{runtime, settings.noise.table_size, noise_seed};
    if (!runtime.is_master()) {
        run_worker(runtime, setup, noise);
        return ExitCode::success;
    }
    MpiEvaluator evaluator{runtime, setup, noise};
    return run_search(*prepared, evaluator, runtime.size() - 1, options);
}

int master_main(int argc, char** argv, DomainRegistry const& domains)
{
    auto const parse = [&]() -> Parsed<MasterOptions> {
        auto parsed = parse_master_options(argc, argv);
        if (parsed.options && (parsed.options->show_config || parsed.options->dry_run)) {
            return {std::nullopt, preview(*parsed.options, domains)};
        }
        return parsed;
    };
    return run_cluster_program("mees_master", argc, argv, parse,
                               [&](ClusterRuntime& runtime, MasterOptions const& options) {
                                   return run_master(runtime, options, domains);
                               });
}

}  // namespace mees
