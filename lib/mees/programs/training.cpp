#include "mees/programs/detail/training.hpp"

#include "mees/cluster/shared_noise_table.hpp"
#include "mees/cluster/with_evaluator.hpp"
#include "mees/config/config.hpp"
#include "mees/config/task_description.hpp"
#include "mees/core/log.hpp"
#include "mees/core/resources.hpp"
#include "mees/core/version.hpp"
#include "mees/es/noise_table.hpp"
#include "mees/experiment/lost_episodes.hpp"
#include "mees/experiment/map_fit.hpp"
#include "mees/experiment/problem.hpp"
#include "mees/experiment/run.hpp"
#include "mees/experiment/run_folder.hpp"
#include "mees/programs/detail/domain_notes.hpp"
#include "mees/programs/detail/open_settings.hpp"
#include "mees/programs/detail/shared_domain.hpp"
#include "mees/programs/detail/time_limit.hpp"
#include "mees/rollout/threads.hpp"
#include "mees/sim/process/trust.hpp"
#include "mees/storage/map/lookup.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace mees {
namespace {

/// What rank 0 prepares before any rank starts to work.
struct Prepared {
    std::shared_ptr<Domain const> domain;
    SearchProblemPtr problem;
    RunFolder folder;
    MapDocument document;
    /// The state is not that of a map: its QD offset was changed, or it is in change files.
    bool unsaved{false};
};

std::filesystem::path folder_of(MasterOptions const& options, Settings const& settings)
{
    return options.out.empty() ? default_folder(options.config, settings.run.seed) : options.out;
}

MapDocument new_document(SearchProblem const& problem, TaskSpec const& spec)
{
    RunInfo info;
    info.domain = problem.settings.domain.name;
    info.algorithm = problem.settings.algorithm.name;
    info.seed = problem.settings.run.seed;
    info.model_sha256 = spec.model_sha256;
    return {
        info,
        spec.bc_names,
        problem.network,
        problem.settings.map.qd_offset,
        with_resources([&] { return sizes_of(problem); }, [&] { return initial_state(problem); }),
        {}};
}

/// Whether outputs of the controller are mapped to other controls, which 0.1 did not do.
bool maps_actions(Domain const& domain)
{
    auto const document = domain.document();
    return document && !parse_description(document->description, "").action_offset.empty();
}

/// Why the stored run is not the one that these settings ask for.
std::vector<std::string> differences_from(MapDocument const& stored, SearchProblem const& problem,
                                          Domain const& domain)
{
    auto const& spec = domain.spec();
    auto differences =
        differences_that_forbid_resume(stored_settings(stored.run), problem.settings);
    if (stored.network != problem.network) {
        differences.push_back(fmt::format(
            "the network is {} in the checkpoint and {} in the configuration",
            fmt::join(stored.network.layers(), " x "), fmt::join(problem.network.layers(), " x ")));
    }
    if (!(stored.state.map.space() == problem.space)) {
        differences.emplace_back("the cells of the map differ");
    }
    if (stored.run.model_sha256 != spec.model_sha256) {
        differences.emplace_back("the domain's model has changed since the run started");
    }
    if (stored.program) {
        std::ranges::move(changes_since(*stored.program, spec), std::back_inserter(differences));
    }
    if (!stored.domain && maps_actions(domain)) {
        differences.emplace_back(
            "actions were used as they are (domain.action = \"raw\") and are now mapped to the "
            "motors' control ranges");
    }
    return differences;
}

/// A folder without a run may be anything: throws ConfigError if it has a config.toml that no run
/// wrote, which the run's own would replace.
void require_own_config(std::filesystem::path const& folder, Catalogue const& catalogue)
{
    auto const file = folder / "config.toml";
    if (contains_run(folder) || !std::filesystem::exists(file)) {
        return;
    }
    try {
        if (std::filesystem::is_regular_file(file)) {
            std::ifstream stream{file};
            std::string const text{std::istreambuf_iterator<char>{stream}, {}};
            if (to_toml(parse_settings(text, file.string(), {}, catalogue.names())) == text) {
                return;
            }
        }
    } catch (ConfigError const&) {
        // Not a configuration at all.
    }
    throw ConfigError{fmt::format("cannot start a run in {}", folder.string()),
                      "its config.toml was not written by a run, which would replace it",
                      "Choose another folder with --out."};
}

/// What the log says first: how the run begins, and what was found in its folder.
void begin_log(RunFolder const& folder, bool resumed, RunInfo const& run)
{
    log::open_file(folder.path() / "mees.log");
    log::info("mees_master {} ({}) {} {}", version(), git_commit(), resumed ? "resumes" : "starts",
              folder.path().string());
    for (auto const& message : folder.messages()) {
        log::warning("{}", message);
    }
    if (resumed && run.mujoco_version != engine_version()) {
        log::warning("this run was started with MuJoCo {}, this build uses {}: results may differ",
                     run.mujoco_version, engine_version());
    }
}

/// The same problem with settings that do not change its cells and its network.
SearchProblemPtr with_settings(SearchProblem problem, Settings const& settings)
{
    problem.settings = settings;
    return std::make_shared<SearchProblem const>(std::move(problem));
}

Prepared prepare(MasterOptions const& options, Catalogue const& catalogue, std::ostream& progress)
{
    auto const configuration =
        read_configuration(options.config, options.overrides, catalogue.names());
    auto domain = catalogue.domains.make(configuration.settings.domain);
    auto settings = complete(configuration, catalogue, domain->spec());
    auto problem = make_problem(settings, domain->spec(), catalogue.algorithms,
                                {.threads = thread_count(options.threads), .progress = &progress});
    auto document = new_document(*problem, domain->spec());

    auto const path = folder_of(options, settings);
    require_own_config(path, catalogue);
    // Before anything is written.
    if (auto warm = warm_start_of(options, *problem, domain->spec())) {
        document.state = initial_state(*problem, std::move(warm->start));
        document.run.start_from = std::move(warm->origin);
    }
    auto const differences = [&](MapDocument const& stored) {
        if (keep_stored(settings, configuration, stored)) {
            problem = with_settings(*problem, settings);
        }
        return differences_from(stored, *problem, *domain);
    };
    RunFolder folder{path, options.resume, differences, settings.map.memory_limit_bytes()};
    auto checkpoint = folder.take_checkpoint();
    bool const resumed = checkpoint.has_value();
    bool unsaved = false;
    if (resumed) {
        document = std::move(*checkpoint);
        unsaved = set_qd_offset(document, settings.map.qd_offset) || folder.continues_changes();
        ++document.run.restarts;
    }
    log::set_level(settings.log.level);
    begin_log(folder, resumed, document.run);
    if (auto const foreign = foreign_keys(configuration, catalogue.names()); !foreign.empty()) {
        log::info("keys without effect in this run: {}", fmt::join(foreign, ", "));
    }
    for (auto const& note : notes_on(*domain, catalogue.domains, settings.domain.name)) {
        log::warning("{}", note);
    }
    if (catalogue.domains.starts_command(settings.domain.name)) {
        trust(settings.domain.process.command);
    }
    set_versions(document.run);
    if (!make_algorithm(problem, document.state)->finished()) {
        folder.mark_finished(false);
    }
    document.state.map.set_store(folder.store());
    document.domain = domain->document();
    document.program = domain->program();
    document.run.config = to_toml(settings);
    folder.write_config(document.run.config);
    return {std::move(domain), std::move(problem), std::move(folder), std::move(document), unsaved};
}

ExitCode run_search(Prepared& prepared, Evaluator& evaluator, NoiseSource& noise,
                    MasterOptions const& options, std::ostream& progress)
{
    auto const& settings = prepared.problem->settings;
    std::vector<double> seconds;
    for (auto const& row : prepared.document.timing) {
        seconds.push_back(row.seconds);
    }
    auto const require_folder = [&] { prepared.folder.require_in_place(); };
    RunReport report{prepared.folder.path(),
                     prepared.problem,
                     prepared.document.bc_names,
                     {prepared.document.state.history, seconds},
                     progress,
                     detect_terminal(STDOUT_FILENO),
                     require_folder};
    CheckpointWriter checkpoints{prepared.folder.path(), settings.checkpoint, require_folder};
    StopToken stop{deadline(options.time_limit), prepared.folder.stop_file()};
    Run run{std::move(prepared.document), prepared.problem, evaluator, noise, checkpoints, report};
    if (prepared.unsaved) {
        run.mark_changed();
    }
    auto const record = [&](std::vector<LostEpisode> const& lost) {
        record_lost_episodes(prepared.folder.path(), lost);
    };
    try {
        run.go(stop);
    } catch (WorkerLost const& lost) {
        record(lost.episodes());
        throw;
    }
    record(evaluator.lost_episodes());
    auto const stopped_by = run.finished() ? std::string{} : stop.describe();
    report.save_summary(run.state(), stopped_by, run.saved_seconds());
    if (run.finished()) {
        prepared.folder.mark_finished(true);
    }
    report.finish(run.state(), stopped_by, run.saved_seconds(),
                  {evaluator.timing(), run.update_seconds(), run.checkpoint_seconds()});
    return run.finished() ? ExitCode::success : ExitCode::stopped_early;
}

}  // namespace

std::optional<WarmStart> warm_start_of(MasterOptions const& options, SearchProblem const& problem,
                                       TaskSpec const& spec)
{
    auto const& settings = problem.settings;
    bool const resumes =
        options.resume != Resume::never && contains_run(folder_of(options, settings));
    if (settings.run.start_from.empty() || resumes) {
        return std::nullopt;
    }
    return read_warm_start(problem, spec);
}

ExitCode train(ClusterRuntime& runtime, MasterOptions const& options, Catalogue const& catalogue,
               std::ostream& progress)
{
    std::optional<Prepared> prepared;
    if (runtime.is_master()) {
        prepared.emplace(prepare(options, catalogue, progress));
    }
    auto const toml = runtime.broadcast(prepared ? prepared->document.run.config : std::string{});
    std::optional<Settings> received;
    auto const& settings =
        prepared ? prepared->problem->settings
                 : received.emplace(parse_settings(toml, "the master's configuration"));
    auto const setup =
        make_rollout(settings, share_domain(runtime, prepared ? prepared->domain : nullptr,
                                            settings.domain, catalogue.domains));
    runtime.barrier();

    auto const table_size = settings.noise.table_size;
    auto const noise_table =
        with_resources([&] { return fmt::format("noise.table_size = {}", table_size); },
                       [&] {
                           return std::make_unique<SharedNoiseTable>(
                               runtime, table_size, static_cast<std::uint64_t>(settings.noise.seed),
                               options.threads);
                       });
    auto& noise = *noise_table;
    runtime.set_silence_limit(settings.cluster.silence_seconds);
    return with_evaluator(runtime, setup, noise.values(), options.threads,
                          [&](Evaluator& evaluator) {
                              return run_search(*prepared, evaluator, noise, options, progress);
                          });
}

ExitCode train_alone(MasterOptions const& options, Catalogue const& catalogue,
                     std::ostream& progress)
{
    auto prepared = prepare(options, catalogue, progress);
    auto const& settings = prepared.problem->settings;
    auto const threads = thread_count(options.threads);
    auto const table = make_noise_table(settings.noise.table_size,
                                        static_cast<std::uint64_t>(settings.noise.seed), threads);
    ThreadNoise noise{table, threads};
    ThreadEvaluator evaluator{make_rollout(settings, prepared.domain), noise.values(), threads};
    return run_search(prepared, evaluator, noise, options, progress);
}

}  // namespace mees
