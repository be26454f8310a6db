#include "mees/cluster/with_evaluator.hpp"
#include "mees/config/config.hpp"
#include "mees/core/atomic_file.hpp"
#include "mees/core/output.hpp"
#include "mees/core/sha256.hpp"
#include "mees/experiment/conditions.hpp"
#include "mees/experiment/map_fit.hpp"
#include "mees/experiment/problem.hpp"
#include "mees/experiment/reevaluation.hpp"
#include "mees/programs/detail/cluster_program.hpp"
#include "mees/programs/detail/common_options.hpp"
#include "mees/programs/detail/options.hpp"
#include "mees/programs/detail/shared_domain.hpp"
#include "mees/programs/detail/tables.hpp"
#include "mees/programs/programs.hpp"
#include "mees/storage/map/file.hpp"

#include <fmt/format.h>

#include <iostream>

namespace mees {
namespace {

constexpr char const* description =
    R"(Re-evaluate every elite of a map in episodes that the search has not seen, the same for all.
Writes a corrected map: elites are re-binned by their new behaviour, and the fittest wins each
cell. Runs with and without mpirun, with bit-identical results.)";
constexpr char const* footer =
    R"(Exit codes: 0 done; 1 any other error; 2 invalid command line; 3 unusable file; 75 stopped by a
signal, nothing written.)";

/// What rank 0 prepares.
struct Prepared {
    MapDocument document;
    Conditions conditions;
    DomainPtr domain;
    std::string map_sha256;
    std::filesystem::path out;
};

Prepared prepare(EvaluateOptions const& options, DomainRegistry const& known)
{
    auto out = options.out;
    if (out.empty()) {
        out = options.file;
        out.replace_extension(".evaluated.h5");
    }
    auto document = read_map(options.file);
    require_output(out, options.existing, options.file);
    if (document.state.map.filled() == 0) {
        throw FileError{fmt::format("{} contains no elites", options.file.string()),
                        "no controller has been evaluated yet", "Resume the run first."};
    }
    auto settings = settings_to_run(document.run, known);
    MapReader const map{options.file};
    bool const other_command = name_command(options.overrides);
    auto const domains =
        domains_of(map, settings, known, options.model, options.allow_command || other_command);
    auto conditions = other_conditions(settings, options.overrides, domains);
    if (other_command) {
        settings.domain.process.command = conditions.settings.domain.process.command;
    }
    auto const trained = domains.make(settings.domain);
    require_map_fits(map, settings, trained->spec(), !options.model.empty());
    auto domain = make_domain(conditions, trained, domains);
    set_versions(document.run);
    document.run.model_sha256 = domain->spec().model_sha256;
    document.domain = domain->document();
    if (!conditions.changes.empty()) {
        document.run.config = to_toml(conditions.settings);
    }
    return {std::move(document), std::move(conditions), std::move(domain),
            sha256_of_file(options.file), std::move(out)};
}

ExitCode evaluate_all(Prepared prepared, EvaluateOptions const& options, Evaluator& evaluator)
{
    StopToken stop;
    auto const seed = options.seed.value_or(prepared.document.run.seed);
    auto conditions = prepared.document.reevaluation
                          ? std::move(prepared.document.reevaluation->conditions)
                          : std::vector<std::string>{};
    auto after = reevaluate(prepared.document, {options.episodes, seed, options.independent},
                            evaluator, stop);
    if (!after) {
        write_stderr(
            fmt::format("mees_evaluate: stopped by {}, nothing was written\n", stop.describe()));
        return ExitCode::stopped_early;
    }
    after->reevaluation->map_sha256 = std::move(prepared.map_sha256);
    after->reevaluation->conditions =
        merged_changes(std::move(conditions), prepared.conditions.changes);
    AtomicFile file{prepared.out};
    write_map(file.temporary(), *after);
    file.commit(options.existing);
    std::cout << fmt::format("{}: {} elites, {} episodes each, seed {}\n", options.file.string(),
                             prepared.document.state.map.filled(), options.episodes, seed)
              << reevaluation_table(prepared.document, *after)
              << fmt::format("{}: {}\n",
                             after->reevaluation->conditions.empty()
                                 ? "corrected map"
                                 : "map under these conditions, not a map of the run",
                             prepared.out.string());
    return ExitCode::success;
}

ExitCode run_evaluate(ClusterRuntime& runtime, EvaluateOptions const& options,
                      DomainRegistry const& domains)
{
    std::optional<Prepared> prepared;
    if (runtime.is_master()) {
        prepared.emplace(prepare(options, domains));
    }
    auto const toml = runtime.broadcast(prepared ? prepared->document.run.config : std::string{});
    auto const settings = parse_settings(toml, "the stored configuration");
    auto const setup = make_rollout(
        settings,
        share_domain(runtime, prepared ? prepared->domain : nullptr, settings.domain, domains));
    runtime.barrier();
    runtime.set_silence_limit(settings.cluster.silence_seconds);
    return with_evaluator(runtime, setup, {}, options.threads, [&](Evaluator& evaluator) {
        return evaluate_all(std::move(*prepared), options, evaluator);
    });
}

}  // namespace

Parsed<EvaluateOptions> parse_evaluate_options(int argc, char const* const* argv)
{
    EvaluateOptions options;
    CommandLine line{"mees_evaluate", description, footer};
    auto& app = line.app();
    add_map_file(app, options.file)->required();
    add_episodes(app, options.episodes, "Episodes per elite [30]");
    app.add_option("--out", options.out, "Corrected map [NAME.evaluated.h5 next to the map]")
        ->type_name("NEW.h5");
    add_conditions(app, options.overrides);
    app.add_flag("--independent", options.independent,
                 "Different initial states for each elite [the same for all]");
    add_force(app, options.existing);
    add_model(app, options.model);
    add_allow_command(app, options.allow_command);
    add_seed(app, options.seed);
    add_threads(app, options.threads);
    if (auto text = line.parse(argc, argv)) {
        return {std::nullopt, std::move(*text)};
    }
    return {std::move(options), {}};
}

int evaluate_main(int argc, char** argv, Catalogue const& catalogue)
{
    return run_cluster_program(
        "mees_evaluate", argc, argv, [&] { return parse_evaluate_options(argc, argv); },
        [&](ClusterRuntime& runtime, EvaluateOptions const& options) {
            return run_evaluate(runtime, options, catalogue.domains);
        });
}

}  // namespace mees
