#include "mees/cluster/with_evaluator.hpp"
#include "mees/config/config.hpp"
#include "mees/core/output.hpp"
#include "mees/core/sha256.hpp"
#include "mees/experiment/map_fit.hpp"
#include "mees/experiment/map_repertoire.hpp"
#include "mees/experiment/navigation_results.hpp"
#include "mees/experiment/variants.hpp"
#include "mees/navigation/repertoire.hpp"
#include "mees/programs/detail/cluster_program.hpp"
#include "mees/programs/detail/common_options.hpp"
#include "mees/programs/detail/finished_mark.hpp"
#include "mees/programs/detail/options.hpp"
#include "mees/programs/detail/shared_domain.hpp"
#include "mees/programs/detail/shown_walk.hpp"
#include "mees/programs/detail/time_limit.hpp"
#include "mees/programs/programs.hpp"
#include "mees/report/navigation_table.hpp"
#include "mees/storage/checkpoint/folder_lock.hpp"
#include "mees/storage/checkpoint/newest_map.hpp"
#include "mees/video/video.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

namespace mees {
namespace {

namespace fs = std::filesystem;

constexpr char const* intact_name = "intact";
constexpr std::int64_t most_actions_in_total = 100'000;

/// What every rank needs to walk.
struct Walks {
    std::vector<std::shared_ptr<NavigationDomain const>> domains;  ///< by damage

    [[nodiscard]] RolloutSetup setup() const
    {
        return {.domains = {domains.begin(), domains.end()},
                .network = navigation_network(),
                .training_without = {}};
    }
};

Walks make_walks(DomainPtr const& robot, std::vector<Damage> const& damages,
                 Settings const& settings, RepertoirePtr const& repertoire, Course const& course,
                 NavigationSettings const& navigation)
{
    std::vector<DomainPtr> robots{robot};
    if (!damages.empty()) {
        auto setup = make_variants(settings, damages, robot);
        robots.assign(setup.domains.begin() + 1, setup.domains.end());
    }
    Walks walks;
    for (auto const& each : robots) {
        walks.domains.push_back(
            std::make_shared<NavigationDomain const>(each, repertoire, course, navigation));
    }
    return walks;
}

/// The walk to show, of those with these damages.
NavigationJob shown_walk(std::vector<std::string> const& names, NavigateOptions const& options)
{
    auto const found =
        options.shown_damage ? std::ranges::find(names, *options.shown_damage) : names.begin();
    if (found == names.end()) {
        throw ConfigError{
            fmt::format("invalid --show-damage {}", *options.shown_damage),
            fmt::format("the robot walks with these damages: {}", fmt::join(names, "; ")),
            "Choose one of them, or add it with --damage."};
    }
    return {*found, options.shown_seed, static_cast<std::int32_t>(found - names.begin())};
}

/// What rank 0 prepares before any rank starts to work.
struct NavigationPlan {
    std::string config;
    std::uint64_t seed;
    DomainPtr robot;
    std::vector<Damage> damages;
    RepertoirePtr repertoire;
    Course course;
    Walks walks;
    NavigationJob shown;
    std::unique_ptr<FolderLock> lock;
    NavigationResults results;
};

Course read_course(NavigateOptions const& options)
{
    Course course;
    if (!options.arena.empty()) {
        course.arena = read_arena(options.arena);
    }
    course.targets = read_targets(options.targets);
    require_free(Arena{course.arena}, course.targets);
    if (std::ssize(course.targets) * options.settings.max_actions > most_actions_in_total) {
        throw ConfigError{fmt::format("invalid --max-actions {}", options.settings.max_actions),
                          fmt::format("{} targets would have more than {} actions together",
                                      course.targets.size(), most_actions_in_total),
                          "Use fewer targets or actions."};
    }
    return course;
}

NavigationDocument new_document(MapReader const& map, Course const& course, TaskSpec const& robot,
                                NavigateOptions const& options)
{
    NavigationDocument document;
    document.run = map.run();
    set_versions(document.run);
    document.run.model_sha256 = robot.model_sha256;
    document.run.wall_seconds = 0;
    document.run.restarts = 0;
    document.generation = map.generation();
    document.map_sha256 = sha256_of_file(options.map);
    document.course = course;
    document.settings = options.settings;
    document.least_fitness = options.least_fitness.value_or(-unbounded);
    return document;
}

NavigationPlan prepare(NavigateOptions const& options, DomainRegistry const& known)
{
    require_distinct({{"--out", options.out},
                      {"the table of --out", fs::path{options.out}.replace_extension(".csv")},
                      {"--trajectory", options.trajectory},
                      {"--video", options.video}});
    auto const course = read_course(options);
    warn_of_newer_changes(options.map);
    MapReader const map{options.map};
    auto const settings = settings_to_run(map.run(), known);
    auto const domains = domains_of(map, settings, known, options.model, false);
    auto const robot = domains.make(settings.domain);
    auto const damages = expand_damages(options.damages, *robot);
    require_map_fits(map, settings, robot->spec(), !options.model.empty());
    auto const repertoire = std::make_shared<Repertoire const>(
        repertoire_of(map, *robot, settings, options.least_fitness));
    auto walks = make_walks(robot, damages, settings, repertoire, course, options.settings);
    std::vector<std::string> names;
    std::ranges::transform(damages, std::back_inserter(names), &Damage::text);
    if (names.empty()) {
        names.emplace_back(intact_name);
    }
    auto const shown = shown_walk(names, options);
    require_output(options.out, Existing::replace, options.map);
    if (!options.video.empty()) {
        require_video_name(options.video);
        require_output(options.video, options.existing, options.map);
    }
    if (!options.trajectory.empty()) {
        require_output(options.trajectory, options.existing, options.map);
    }
    auto lock = FolderLock::of_file(options.out);
    NavigationResults results{options.out, new_document(map, course, robot->spec(), options), names,
                              options.seeds, options.existing};
    return {.config = map.run().config,
            .seed = static_cast<std::uint64_t>(map.run().seed),
            .robot = robot,
            .damages = damages,
            .repertoire = repertoire,
            .course = course,
            .walks = std::move(walks),
            .shown = shown,
            .lock = std::move(lock),
            .results = std::move(results)};
}

ExitCode walk(NavigationPlan& plan, Evaluator& evaluator, NavigateOptions const& options)
{
    auto& all = plan.results;
    FinishedMark const mark{all.path()};
    mark.remove();
    StopToken stop{deadline(options.time_limit), {}};
    auto const done = [&](std::vector<NavigationResult> const& results) {
        all.add(results);
        write_stderr(
            fmt::format("{} of {} walks\n", all.walks() - std::ssize(all.jobs()), all.walks()));
    };
    auto const jobs = all.jobs();
    bool const complete =
        navigate(jobs, plan.course, options.settings, plan.seed, evaluator, stop, done);
    std::cout << fmt::format("{} elites, {} targets, up to {} actions per target\n",
                             plan.repertoire->size(), plan.course.targets.size(),
                             options.settings.max_actions)
              << navigation_table(all.document().results, options.settings.max_actions)
              << fmt::format("wrote {} of {} walks to {}\n  and {}\n",
                             all.walks() - std::ssize(all.jobs()), all.walks(), all.path().string(),
                             all.csv_path().string());
    if (!complete) {
        std::cout << fmt::format("stopped by {}: run the same command again to resume\n",
                                 stop.describe());
        return ExitCode::stopped_early;
    }
    if (!options.video.empty() || !options.trajectory.empty()) {
        auto const variant = static_cast<std::size_t>(plan.shown.variant);
        show_walk(*plan.walks.domains.at(variant), plan.shown, plan.seed, all.document(), options);
    }
    mark.set();
    return ExitCode::success;
}

ExitCode run_navigate(ClusterRuntime& runtime, NavigateOptions const& options,
                      DomainRegistry const& domains)
{
    std::optional<NavigationPlan> plan;
    if (runtime.is_master()) {
        plan.emplace(prepare(options, domains));
    }
    auto const config = runtime.broadcast(plan ? plan->config : std::string{});
    auto const damages = share_damages(runtime, plan ? plan->damages : std::vector<Damage>{});
    auto const settings = parse_settings(config, "the map's configuration");
    auto const robot =
        share_domain(runtime, plan ? plan->robot : nullptr, settings.domain, domains);
    auto const packed = runtime.broadcast(plan ? pack(*plan->repertoire) : std::string{});
    auto const arena = runtime.broadcast(plan ? to_toml(plan->course.arena) : std::string{});
    auto const targets = runtime.broadcast(plan ? to_toml(plan->course.targets) : std::string{});
    auto const walks =
        plan ? plan->walks
             : make_walks(robot, damages, settings,
                          std::make_shared<Repertoire const>(unpack_repertoire(packed)),
                          {parse_arena(arena, "rank 0"), parse_targets(targets, "rank 0")},
                          options.settings);
    runtime.barrier();
    runtime.set_silence_limit(settings.cluster.silence_seconds);
    return with_evaluator(runtime, walks.setup(), {}, options.threads,
                          [&](Evaluator& evaluator) { return walk(*plan, evaluator, options); });
}

}  // namespace

int navigate_main(int argc, char** argv, Catalogue const& catalogue)
{
    return run_cluster_program(
        "mees_navigate", argc, argv, [&] { return parse_navigate_options(argc, argv); },
        [&](ClusterRuntime& runtime, NavigateOptions const& options) {
            return run_navigate(runtime, options, catalogue.domains);
        });
}

}  // namespace mees
