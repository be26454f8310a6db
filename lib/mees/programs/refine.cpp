#include "mees/cluster/shared_noise_table.hpp"
#include "mees/cluster/with_evaluator.hpp"
#include "mees/config/config.hpp"
#include "mees/core/atomic_file.hpp"
#include "mees/core/output.hpp"
#include "mees/core/resources.hpp"
#include "mees/core/sha256.hpp"
#include "mees/experiment/map_fit.hpp"
#include "mees/experiment/problem.hpp"
#include "mees/experiment/refinement.hpp"
#include "mees/programs/detail/cluster_program.hpp"
#include "mees/programs/detail/episode_cost.hpp"
#include "mees/programs/detail/finished_mark.hpp"
#include "mees/programs/detail/options.hpp"
#include "mees/programs/detail/refinement_tables.hpp"
#include "mees/programs/detail/shared_domain.hpp"
#include "mees/programs/detail/time_limit.hpp"
#include "mees/programs/programs.hpp"
#include "mees/rollout/threads.hpp"
#include "mees/storage/checkpoint/newest_map.hpp"
#include "mees/storage/map/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

namespace mees {
namespace {

/// The map to refine, and everything that its refinement needs. Nothing is written yet.
struct RefinementInput {
    MapDocument map;
    MapDocument fresh;  ///< the refined map before its first episode
    DomainPtr domain;
    SearchProblemPtr problem;
};

/// The run's settings with those of the refinement. Another algorithm than the run's is at work,
/// which needs no name.
SearchProblemPtr refinement_problem(MapDocument const& map, Settings settings,
                                    RefineOptions const& options)
{
    settings.run.seed = options.seed.value_or(map.run.seed);
    settings.es.population = options.population;
    settings.es.sigma = options.sigma.value_or(settings.es.sigma);
    settings.es.learning_rate = options.learning_rate.value_or(settings.es.learning_rate);
    // Limits of the run's decay hold for the run's values.
    settings.es.sigma_limit = std::min(settings.es.sigma_limit, settings.es.sigma);
    settings.es.learning_rate_limit =
        std::min(settings.es.learning_rate_limit, settings.es.learning_rate);
    auto const n_eval = map.reevaluation ? map.reevaluation->episodes : settings.algorithm.n_eval;
    settings.algorithm.n_eval = options.episodes.value_or(n_eval);
    if (settings.noise.table_size < 2 * map.network.parameter_count()) {
        throw FileError{fmt::format("cannot refine {}", options.file.string()),
                        "the noise table of its configuration is too small for its controllers",
                        "Choose another map."};
    }
    return std::make_shared<SearchProblem const>(
        SearchProblem{std::move(settings), map.network, map.state.map.space(), {}});
}

Refinement new_record(MapDocument const& map, SearchProblem const& problem,
                      RefineOptions const& options)
{
    auto const& settings = problem.settings;
    Refinement refinement{.map = options.file.string(),
                          .map_sha256 = sha256_of_file(options.file),
                          .seed = settings.run.seed,
                          .n_eval = settings.algorithm.n_eval,
                          .population = settings.es.population,
                          .sigma = settings.es.sigma,
                          .learning_rate = settings.es.learning_rate,
                          .settings = options.settings};
    if (map.reevaluation) {
        refinement.conditions = map.reevaluation->conditions;
    } else if (map.refinement) {
        refinement.conditions = map.refinement->conditions;
    }
    refinement.progress =
        new_refinement(map.state.map, choose_targets(map.state.map, options.cells));
    return refinement;
}

RefinementInput read_input(RefineOptions const& options, DomainRegistry const& known)
{
    warn_of_newer_changes(options.file);
    auto map = read_map(options.file);
    if (map.state.map.filled() == 0 || map.state.history.empty()) {
        throw FileError{fmt::format("{} contains no elites", options.file.string()),
                        "no controller has been evaluated yet", "Resume the run first."};
    }
    auto const is_chain = [](auto const& entry) {
        return entry.second.controller->before != nullptr;
    };
    if (std::ranges::any_of(map.state.map.elites(), is_chain)) {
        throw FileError{fmt::format("cannot refine {}", options.file.string()),
                        "its controllers are chains", "Choose a map without chains."};
    }
    auto const settings = settings_to_run(map.run, known);
    MapReader const reader{options.file};
    auto const domains = domains_of(reader, settings, known, options.model, options.allow_command);
    auto domain = domains.make(settings.domain);
    require_map_fits(reader, settings, domain->spec(), !options.model.empty());
    auto problem = refinement_problem(map, settings, options);
    auto fresh = map;
    set_versions(fresh.run);
    fresh.run.model_sha256 = domain->spec().model_sha256;
    fresh.domain = domain->document();
    fresh.program = domain->program();
    fresh.refinement = new_record(map, *problem, options);
    fresh.reevaluation.reset();  // its rows are those of other elites
    require_output(options.out, Existing::replace, options.file);
    return {std::move(map), std::move(fresh), std::move(domain), std::move(problem)};
}

/// What rank 0 prepares before any rank starts to work.
struct PreparedRefinement {
    RefinementInput input;
    std::unique_ptr<FolderLock> lock;
    MapDocument document;  ///< where the refinement continues
};

PreparedRefinement prepare_refinement(RefineOptions const& options, DomainRegistry const& known)
{
    auto input = read_input(options, known);
    auto lock = FolderLock::of_file(options.out);
    auto document = resume_refinement(options.out, input.fresh, options.existing);
    return {std::move(input), std::move(lock), std::move(document)};
}

std::string preview_refinement(RefineOptions const& options, DomainRegistry const& known)
{
    auto const input = read_input(options, known);
    auto const& refinement = input.fresh.refinement.value();
    auto const cells = std::ssize(refinement.progress.targets);
    Estimate estimate;
    estimate.episodes = refinement_episodes(*input.problem, refinement.settings, cells);
    auto const& spec = input.domain->spec();
    return refinement_plan(refinement, *input.problem)
           + time_estimate(estimate, spec, time_episode(*input.problem, input.domain),
                           thread_count(options.threads));
}

ExitCode refine_cells(PreparedRefinement& prepared, Evaluator& evaluator, NoiseSource& noise,
                      RefineOptions const& options)
{
    FinishedMark const mark{options.out};
    RefinementRun run{std::move(prepared.document), prepared.input.problem, options.out,
                      static_cast<double>(options.save_every), *prepared.lock};
    if (!run.finished()) {
        mark.remove();
    }
    StopToken stop{deadline(options.time_limit), {}};
    run.go(evaluator, noise, stop, [&](RefinementTarget const& target) {
        write_stderr(fmt::format("{}\n", describe_target(target, prepared.input.map.bc_names)));
    });
    auto const after = run.document();
    std::cout << refinement_table(prepared.input.map, after)
              << fmt::format("refined map: {}\n", options.out.string());
    if (!run.finished()) {
        std::cout << fmt::format("stopped by {}: run the same command again to resume\n",
                                 stop.describe());
        return ExitCode::stopped_early;
    }
    mark.set();
    return ExitCode::success;
}

ExitCode run_refine(ClusterRuntime& runtime, RefineOptions const& options,
                    DomainRegistry const& domains)
{
    std::optional<PreparedRefinement> prepared;
    if (runtime.is_master()) {
        prepared.emplace(prepare_refinement(options, domains));
    }
    auto const toml = runtime.broadcast(prepared ? prepared->document.run.config : std::string{});
    auto const settings = parse_settings(toml, "the stored configuration");
    auto const setup =
        make_rollout(settings, share_domain(runtime, prepared ? prepared->input.domain : nullptr,
                                            settings.domain, domains));
    runtime.barrier();
    auto const table_size = settings.noise.table_size;
    auto const noise =
        with_resources([&] { return fmt::format("noise.table_size = {}", table_size); },
                       [&] {
                           return std::make_unique<SharedNoiseTable>(
                               runtime, table_size, static_cast<std::uint64_t>(settings.noise.seed),
                               options.threads);
                       });
    runtime.set_silence_limit(settings.cluster.silence_seconds);
    return with_evaluator(
        runtime, setup, noise->values(), options.threads,
        [&](Evaluator& evaluator) { return refine_cells(*prepared, evaluator, *noise, options); });
}

}  // namespace

int refine_main(int argc, char** argv, Catalogue const& catalogue)
{
    auto const parse = [&]() -> Parsed<RefineOptions> {
        auto parsed = parse_refine_options(argc, argv);
        if (parsed.options && parsed.options->dry_run) {
            return {std::nullopt, preview_refinement(*parsed.options, catalogue.domains)};
        }
        return parsed;
    };
    return run_cluster_program("mees_refine", argc, argv, parse,
                               [&](ClusterRuntime& runtime, RefineOptions const& options) {
                                   return run_refine(runtime, options, catalogue.domains);
                               });
}

}  // namespace mees
