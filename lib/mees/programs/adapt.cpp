#include "mees/cluster/with_evaluator.hpp"
#include "mees/config/config.hpp"
#include "mees/core/atomic_file.hpp"
#include "mees/core/log.hpp"
#include "mees/core/output.hpp"
#include "mees/core/sha256.hpp"
#include "mees/experiment/map_fit.hpp"
#include "mees/experiment/problem.hpp"
#include "mees/experiment/recovery_results.hpp"
#include "mees/experiment/variants.hpp"
#include "mees/programs/detail/cluster_program.hpp"
#include "mees/programs/detail/finished_mark.hpp"
#include "mees/programs/detail/options.hpp"
#include "mees/programs/detail/outside_trials.hpp"
#include "mees/programs/detail/shared_domain.hpp"
#include "mees/programs/detail/time_limit.hpp"
#include "mees/programs/programs.hpp"
#include "mees/report/recovery_table.hpp"
#include "mees/report/terminal.hpp"
#include "mees/storage/checkpoint/folder_lock.hpp"
#include "mees/storage/checkpoint/newest_map.hpp"
#include "mees/storage/map/file.hpp"
#include "mees/storage/map/lookup.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace mees {
namespace {

/// A map whose controllers are read on request only.
RecoveryMap open_map(std::shared_ptr<MapReader const> const& reader)
{
    auto const map = elites_without_controllers(*reader);
    auto rows = std::make_shared<std::map<CellId, std::int64_t>>();
    for (auto const& [cell, elite] : map.elites()) {
        rows->emplace(cell, std::ssize(*rows));
    }
    auto prior = std::make_shared<MapPrior const>(prior_of(map));
    auto cache = std::make_shared<std::map<CellId, ControllerPtr>>();
    return {.prior = std::move(prior),
            .best_cell = best_cell(map).value(),
            .controller = [reader, rows, cache](CellId cell) {
                auto& controller = (*cache)[cell];
                if (!controller) {
                    controller = reader->controller(rows->at(cell));
                }
                return controller;
            }};
}

/// What rank 0 prepares before any rank starts to work.
struct Prepared {
    std::string config;
    std::uint64_t seed;
    RecoveryMap map;
    Score intact;  ///< of the best controller, as stored in the map
    std::unique_ptr<FolderLock> lock;
    RecoveryResults results;
    std::vector<Damage> damages;
    RolloutSetup setup;
};

RecoveryDocument new_document(MapReader const& map, TaskSpec const& robot,
                              AdaptOptions const& options)
{
    RecoveryDocument document;
    document.run = map.run();
    set_versions(document.run);
    document.run.model_sha256 = robot.model_sha256;
    document.run.wall_seconds = 0;
    document.run.restarts = 0;
    document.generation = map.generation();
    document.map_sha256 = sha256_of_file(options.map);
    document.settings = options.settings;
    auto const elites = elites_without_controllers(map);
    auto const& best = *elites.find(best_cell(elites).value());
    auto const again = map.reevaluation();
    auto const episodes = again ? again->episodes : stored_settings(map.run()).algorithm.n_eval;
    document.intact =
        Score{best.fitness, best.fitness_std / std::sqrt(static_cast<double>(episodes))};
    return document;
}

Prepared prepare(AdaptOptions const& options, DomainRegistry const& known)
{
    warn_of_newer_changes(options.map);
    auto const reader = std::make_shared<MapReader const>(options.map);
    auto const settings = settings_to_run(reader->run(), known);
    auto const domains = domains_of(*reader, settings, known, options.model, options.allow_command);
    auto const robot = domains.make(settings.domain);
    auto const damages = expand_damages(options.damages, *robot);
    auto setup = make_variants(settings, damages, robot);
    require_map_fits(*reader, settings, setup.domains.front()->spec(), !options.model.empty());
    auto map = open_map(reader);
    require_output(options.out, Existing::replace, options.map);
    auto lock = FolderLock::of_file(options.out);
    std::vector<std::string> names;
    std::ranges::transform(damages, std::back_inserter(names), &Damage::text);
    auto document = new_document(*reader, robot->spec(), options);
    auto const intact = document.intact.value();
    RecoveryResults results{options.out, std::move(document), names, options.seeds,
                            options.existing};
    return {.config = reader->run().config,
            .seed = static_cast<std::uint64_t>(reader->run().seed),
            .map = std::move(map),
            .intact = intact,
            .lock = std::move(lock),
            .results = std::move(results),
            .damages = damages,
            .setup = std::move(setup)};
}

ExitCode adapt(Prepared& prepared, Evaluator& evaluator, AdaptOptions const& options)
{
    auto& all = prepared.results;
    FinishedMark const mark{all.path()};
    mark.remove();
    StopToken stop{deadline(options.time_limit), {}};
    auto const done = [&](std::vector<RecoveryResult> const& results) {
        all.add(results);
        auto const summary = summarise(results).front();
        write_stderr(fmt::format("{}: {:.1f} -> {:.1f} ({} of {} damages)\n", summary.damage,
                                 summary.before.mean, summary.after.mean, all.damages_done(),
                                 all.damages()));
    };
    bool const complete = recover(prepared.map, options.settings, all.jobs(), prepared.seed,
                                  evaluator, evaluator.workers(), stop, done);
    auto const elites = prepared.map.prior->cells.size();
    std::cout << fmt::format(
        "old controller: cell {}, the best of {} elites; intact: {:.1f} +- {:.1f} (stored)\n",
        prepared.map.best_cell.value(), elites, prepared.intact.mean,
        prepared.intact.standard_error);
    if (auto const trials = options.settings.optimiser.trials;
        static_cast<std::int64_t>(elites) <= trials) {
        std::cout << fmt::format("{} trials are enough to try every elite of this map\n", trials);
    }
    std::cout << recovery_table(summarise(all.results()), detect_terminal(STDOUT_FILENO))
              << fmt::format("wrote {} of {} damages to {}\n  and {}\n", all.damages_done(),
                             all.damages(), all.path().string(), all.csv_path().string());
    if (complete) {
        mark.set();
    } else {
        std::cout << fmt::format("stopped by {}: run the same command again to resume\n",
                                 stop.describe());
    }
    return complete ? ExitCode::success : ExitCode::stopped_early;
}

/// What rank 0 prepared, from what it sent.
RolloutSetup received_variants(Settings const& settings, std::vector<Damage> const& damages,
                               std::string const& packed, DomainRegistry const& domains)
{
    if (packed.empty()) {
        return make_variants(settings, damages, domains.make(settings.domain));
    }
    auto document = std::make_shared<DomainDocument const>(unpack(packed));
    auto const carrying = domains.carrying(std::move(document), settings.domain);
    return make_variants(settings, damages, carrying.make(settings.domain));
}

ExitCode run_adapt(ClusterRuntime& runtime, AdaptOptions const& options,
                   DomainRegistry const& domains)
{
    if (options.ask || options.tell) {
        if (runtime.is_master()) {
            run_outside_trials(options, std::cout);
        }
        runtime.barrier();
        return ExitCode::success;
    }
    std::optional<Prepared> prepared;
    if (runtime.is_master()) {
        prepared.emplace(prepare(options, domains));
    }
    auto const config = runtime.broadcast(prepared ? prepared->config : std::string{});
    auto const damages =
        share_damages(runtime, prepared ? prepared->damages : std::vector<Damage>{});
    auto const settings = parse_settings(config, "the map's configuration");
    auto const document = prepared ? prepared->setup.domains.front()->document() : nullptr;
    auto const packed = runtime.broadcast(document ? pack(*document) : std::string{});
    auto const setup =
        prepared ? prepared->setup : received_variants(settings, damages, packed, domains);
    runtime.barrier();
    runtime.set_silence_limit(settings.cluster.silence_seconds);
    return with_evaluator(runtime, setup, {}, options.threads, [&](Evaluator& evaluator) {
        return adapt(*prepared, evaluator, options);
    });
}

}  // namespace

int adapt_main(int argc, char** argv, Catalogue const& catalogue)
{
    return run_cluster_program(
        "mees_adapt", argc, argv, [&] { return parse_adapt_options(argc, argv); },
        [&](ClusterRuntime& runtime, AdaptOptions const& options) {
            return run_adapt(runtime, options, catalogue.domains);
        });
}

}  // namespace mees
