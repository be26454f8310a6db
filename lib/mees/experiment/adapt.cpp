#include "mees/experiment/adapt.hpp"

#include "mees/adaptation/recovery_report.hpp"
#include "mees/cluster/mpi_evaluator.hpp"
#include "mees/config/config.hpp"
#include "mees/core/sha256.hpp"
#include "mees/core/version.hpp"
#include "mees/experiment/problem.hpp"
#include "mees/experiment/recovery_book.hpp"
#include "mees/experiment/time_limit.hpp"
#include "mees/rollout/thread_evaluator.hpp"
#include "mees/sim/damage.hpp"
#include "mees/storage/map_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

namespace mees {
namespace {

constexpr char separator = '\n';

/// Throws FileError unless the map's controllers can act in the domain that its configuration
/// names.
void check_fits(MapReader const& map, Settings const& settings, TaskSpec const& spec,
                std::filesystem::path const& path)
{
    std::vector<std::string> reasons;
    if (map.run().domain != settings.domain.name) {
        reasons.push_back(fmt::format("it is of the domain {}, its configuration of {}",
                                      map.run().domain, settings.domain.name));
    }
    if (map.network() != make_network(settings.policy, spec)) {
        reasons.push_back(
            fmt::format("its controllers have layers of {}, the domain {} asks for {}",
                        fmt::join(map.network().layers(), " x "), spec.name,
                        fmt::join(make_network(settings.policy, spec).layers(), " x ")));
    }
    if (map.bc_names() != spec.bc_names) {
        reasons.push_back(fmt::format("its BC is {}, that of the domain {} is {}",
                                      fmt::join(map.bc_names(), ", "), spec.name,
                                      fmt::join(spec.bc_names, ", ")));
    }
    if (!reasons.empty()) {
        throw FileError{fmt::format("{} does not fit its domain", path.string()),
                        fmt::format("{}", fmt::join(reasons, "; ")), "give another map"};
    }
}

/// "paper" replaced by the damages it stands for, spaces removed, each damage once.
std::vector<std::string> expand_damages(std::vector<std::string> const& given,
                                        std::string const& domain)
{
    std::vector<std::string> damages;
    auto const add = [&](std::string const& damage) {
        if (std::ranges::find(damages, damage) == damages.end()) {
            damages.push_back(damage);
        }
    };
    for (auto const& entry : given) {
        if (entry != "paper") {
            add(fmt::format("{}", fmt::join(split_damage(entry), ",")));
            continue;
        }
        if (domain != "ant" && domain != "ant_maze") {
            throw ConfigError{
                "--damage paper does not fit this map",
                fmt::format("the paper's damages are the Ant's, this is a map of {}", domain),
                "name joints of this domain"};
        }
        for (auto const& damage : paper_damages()) {
            add(damage.name);
        }
    }
    return damages;
}

DomainSettings damaged(DomainSettings settings, std::string const& damage)
{
    settings.damage.push_back(damage);
    return settings;
}

/// The whole robot as variant 0, then one for each damage.
RolloutSetup make_variants(Settings const& settings, std::vector<std::string> const& damages)
{
    auto setup = make_rollout(settings, make_domain(settings.domain));
    for (auto const& damage : damages) {
        setup.domains.push_back(make_domain(damaged(settings.domain, damage)));
    }
    return setup;
}

/// A map of which only those controllers are read that are asked for.
RecoveryMap open_map(std::shared_ptr<MapReader const> const& reader)
{
    EliteMap map{reader->space()};
    auto rows = std::make_shared<std::map<CellId, std::int64_t>>();
    for (auto& [cell, elite] : reader->elites()) {
        rows->emplace(cell, std::ssize(*rows));
        map.restore(cell, elite);
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

/// What rank 0 has made ready before anybody begins to work.
struct Prepared {
    std::string config;
    std::uint64_t seed;
    RecoveryMap map;
    RecoveryBook book;
    std::vector<DamageJob> jobs;
    RolloutSetup setup;
};

RecoveryDocument new_document(MapReader const& map, AdaptOptions const& options)
{
    RecoveryDocument document;
    document.run = map.run();
    document.run.mees_version = version();
    document.run.git_commit = git_commit();
    document.run.mujoco_version = engine_version();
    document.run.wall_seconds = 0;
    document.run.restarts = 0;
    document.generation = map.generation();
    document.map_sha256 = sha256_of_file(options.map);
    document.settings = options.settings;
    return document;
}

std::vector<std::string> damages_of(std::vector<DamageJob> const& jobs)
{
    std::vector<std::string> damages;
    std::ranges::transform(jobs, std::back_inserter(damages), &DamageJob::damage);
    return damages;
}

Prepared prepare(AdaptOptions const& options)
{
    auto const reader = std::make_shared<MapReader const>(options.map);
    auto const settings = parse_settings(
        reader->run().config, fmt::format("the configuration in {}", options.map.string()));
    auto const damages = expand_damages(options.damages, settings.domain.name);
    // All of them, so that a wrong word shows even if another damage is to be done first.
    auto const all = make_variants(settings, damages);
    check_fits(*reader, settings, all.domains.front()->spec(), options.map);
    auto map = open_map(reader);
    RecoveryBook book{options.out, new_document(*reader, options), damages, options.seeds};
    auto jobs = book.jobs();
    auto setup = make_variants(settings, damages_of(jobs));
    return {reader->run().config, static_cast<std::uint64_t>(reader->run().seed),
            std::move(map),       std::move(book),
            std::move(jobs),      std::move(setup)};
}

ExitCode adapt(Prepared& prepared, Evaluator& evaluator, std::int64_t workers,
               AdaptOptions const& options)
{
    auto& book = prepared.book;
    StopToken stop{deadline(options.time_limit), {}};
    auto const done = [&](std::vector<RecoveryResult> const& results) {
        book.add(results);
        auto const summary = summarise(results).front();
        fmt::print(stderr, "{}: {:.1f} -> {:.1f} ({} of {} damages)\n", summary.damage,
                   summary.before.mean, summary.after.mean, book.damages_done(), book.damages());
    };
    bool const complete = recover(prepared.map, options.settings, prepared.jobs, prepared.seed,
                                  evaluator, workers, stop, done);
    fmt::print("{}", recovery_table(summarise(book.results())));
    fmt::print("{} of {} damages are in {} and {}\n", book.damages_done(), book.damages(),
               book.path().string(), book.csv_path().string());
    if (!complete) {
        fmt::print("stopped by {}: run the same command again to go on\n", stop.describe());
    }
    return complete ? ExitCode::success : ExitCode::stopped_early;
}

unsigned thread_count(AdaptOptions const& options)
{
    return options.threads > 0 ? options.threads
                               : std::max(1U, std::thread::hardware_concurrency());
}

std::vector<std::string> split_lines(std::string const& text)
{
    std::vector<std::string> lines;
    std::istringstream stream{text};
    for (std::string line; std::getline(stream, line, separator);) {
        lines.push_back(line);
    }
    return lines;
}

}  // namespace

ExitCode run_adapt(ClusterRuntime& runtime, AdaptOptions const& options)
{
    std::optional<Prepared> prepared;
    if (runtime.is_master()) {
        prepared.emplace(prepare(options));
    }
    auto const config = runtime.broadcast(prepared ? prepared->config : std::string{});
    auto const damages = runtime.broadcast(
        prepared ? fmt::format("{}", fmt::join(damages_of(prepared->jobs), "\n")) : std::string{});
    auto const setup = prepared ? prepared->setup
                                : make_variants(parse_settings(config, "the map's configuration"),
                                                split_lines(damages));
    runtime.meet();
    if (runtime.size() == 1) {
        auto const threads = thread_count(options);
        ThreadEvaluator evaluator{setup, {}, threads};
        return adapt(*prepared, evaluator, threads, options);
    }
    // No episode is perturbed: the smallest table will do.
    SharedNoiseTable const noise{runtime, 1, 0};
    if (!runtime.is_master()) {
        run_worker(runtime, setup, noise);
        return ExitCode::success;
    }
    MpiEvaluator evaluator{runtime, setup, noise};
    return adapt(*prepared, evaluator, runtime.size() - 1, options);
}

}  // namespace mees
