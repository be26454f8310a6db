#include "mees/core/new_file.hpp"
#include "mees/experiment/command_line.hpp"
#include "mees/experiment/map_fit.hpp"
#include "mees/experiment/problem.hpp"
#include "mees/experiment/reference_report.hpp"
#include "mees/film/film.hpp"
#include "mees/inspection/lookup.hpp"
#include "mees/playback/replayer.hpp"
#include "mees/playback/report.hpp"
#include "mees/report/format.hpp"
#include "mees/sim/damage.hpp"
#include "mees/storage/recording_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <thread>

namespace {

using namespace mees;

constexpr char const* description =
    "Runs an elite's episodes again and tells what came of them: fitness, BC, steps, reward terms.";
constexpr char const* footer =
    "A damage is joints (J0,J1 or names) or changes of the model: lock:JOINT, weak:MOTOR=0.3,\n"
    "friction=0.5, shorten:BODY=0.7, mass:BODY=+1.5, joined by commas.\n"
    "Exit codes: 0 done (--check-reference: reproduced); 1 not reproduced, or a film that cannot\n"
    "be made; 2 bad command line; 3 a file or cell that cannot be used, with the reason.";

struct Options {
    std::filesystem::path file;
    std::string cell{"best"};
    std::int32_t episodes{30};
    std::vector<std::string> damage;
    std::optional<std::int64_t> seed;
    unsigned threads{std::max(1U, std::thread::hardware_concurrency())};
    std::filesystem::path trajectory;
    std::filesystem::path video;
    std::vector<std::filesystem::path> references;
};

std::optional<std::string> parse(Options& options, int argc, char** argv)
{
    CommandLine line{"mees_replay", description, footer};
    auto& app = line.app();
    auto* const file = app.add_option("file", options.file, "A map file, such as runs/NAME/map.h5")
                           ->type_name("FILE");
    app.add_option("--cell", options.cell, "best, a cell's number, or nearest:x,y [best]")
        ->type_name("CELL");
    app.add_option("--episodes", options.episodes, "How many [30]")
        ->type_name("N")
        ->check(CLI::Range(1, 1'000'000));
    app.add_option("--damage", options.damage, "Break the robot; may be given several times")
        ->type_name("DAMAGE")
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false);
    app.add_option("--seed", options.seed, "Of the initial states [the run's]")
        ->type_name("N")
        ->check(CLI::NonNegativeNumber);
    app.add_option("--threads", options.threads, "How many episodes at a time [all cores]")
        ->type_name("N")
        ->check(CLI::PositiveNumber);
    app.add_option("--trajectory", options.trajectory,
                   "Write every step of the first episode to this file")
        ->type_name("OUT.h5");
    app.add_option(
           "--video", options.video,
           "Film the first episode: .mp4 or .gif at real time, .png as a strip of pictures; "
           "needs no display")
        ->type_name("OUT");
    auto* const reference =
        app.add_option("--check-reference", options.references,
                       "Instead: does this build reproduce these recorded trajectories?")
            ->type_name("FILE.h5...");
    if (auto text = line.parse(argc, argv)) {
        return text;
    }
    if ((file->count() > 0) == (reference->count() > 0)) {
        throw ConfigError{"the command line cannot be understood",
                          "it must name either a map or, with --check-reference, a trajectory",
                          "See mees_replay --help."};
    }
    return std::nullopt;
}

std::string headline(MapReader const& map, StoredElite const& stored, Options const& options)
{
    auto const& run = map.run();
    auto const& elite = stored.elite;
    auto text =
        fmt::format("{}: cell {}, {} on {}, generation {}\n", options.file.string(),
                    stored.cell.value(), run.algorithm, run.domain, elite.generation.value());
    text +=
        fmt::format("stored: fitness {} +- {}, {}\n", short_number(elite.fitness),
                    short_number(elite.fitness_std), describe_behaviour(elite.bc, map.bc_names()));
    return options.damage.empty()
               ? text
               : text + fmt::format("damage: {}\n", fmt::join(options.damage, ", "));
}

FilmedEpisode to_film(RecordedEpisode const& recorded, PhysicsTask const& task,
                      TaskSpec const& spec, std::string const& title)
{
    auto qpos = recorded.recording.initial_qpos;
    qpos.insert(qpos.end(), recorded.recording.qpos.begin(), recorded.recording.qpos.end());
    return {task.model(), std::move(qpos), spec.seconds_per_step,
            [&recorded, title, seconds = spec.seconds_per_step](std::int64_t row) {
                return fmt::format("{}\n{} after {:.1f} s", title,
                                   short_number(recorded.fitness[static_cast<std::size_t>(row)]),
                                   seconds * static_cast<double>(row));
            }};
}

void record(Replayer const& replayer, Domain const& domain, std::string const& title,
            Options const& options)
{
    auto const recorded = replayer.record(0);
    if (!options.trajectory.empty()) {
        write_recording(options.trajectory, recorded.recording);
        std::cout << fmt::format("the first episode's trajectory is in {}\n",
                                 options.trajectory.string());
    }
    if (!options.video.empty()) {
        auto const task = domain.make_task();
        make_film(to_film(recorded, dynamic_cast<PhysicsTask const&>(*task), domain.spec(), title),
                  options.video);
        std::cout << fmt::format("a film of the first episode is in {}\n", options.video.string());
    }
}

ExitCode replay(Options const& options)
{
    if (!options.video.empty()) {
        require_film_name(options.video);
    }
    if (!options.trajectory.empty()) {
        require_new_file(options.trajectory);
    }
    MapReader const map{options.file};
    auto const stored = choose_elite(map, options.cell);
    auto settings = stored_settings(map.run());
    require_map_fits(map, settings, make_domain(settings.domain)->spec());
    for (auto const& damage : options.damage) {
        std::ranges::move(split_damage(damage), std::back_inserter(settings.domain.damage));
    }
    auto const domain = make_domain(settings.domain);
    auto const seed = static_cast<std::uint64_t>(options.seed.value_or(map.run().seed));
    Replayer const replayer{make_rollout(settings, domain), map.controller(stored.row), seed};
    std::cout << headline(map, stored, options)
              << episode_table(replayer.run(options.episodes, options.threads), domain->spec());
    if (!options.trajectory.empty() || !options.video.empty()) {
        auto const title = fmt::format("cell {}, fitness {}", stored.cell.value(),
                                       short_number(stored.elite.fitness));
        record(replayer, *domain, title, options);
    }
    return ExitCode::success;
}

}  // namespace

int main(int argc, char** argv)
{
    return mees::run_program("mees_replay", [&] {
        Options options;
        if (auto const text = parse(options, argc, argv)) {
            std::cout << *text;
            return ExitCode::success;
        }
        return options.references.empty()
                   ? replay(options)
                   : report_references(options.references, std::cout, std::cerr);
    });
}
