#include "mees/config/config.hpp"
#include "mees/core/atomic_file.hpp"
#include "mees/core/output.hpp"
#include "mees/experiment/conditions.hpp"
#include "mees/experiment/map_fit.hpp"
#include "mees/experiment/problem.hpp"
#include "mees/programs/detail/common_options.hpp"
#include "mees/programs/detail/options.hpp"
#include "mees/programs/detail/tables.hpp"
#include "mees/programs/programs.hpp"
#include "mees/report/episode_table.hpp"
#include "mees/report/format.hpp"
#include "mees/report/terminal.hpp"
#include "mees/rollout/determinism.hpp"
#include "mees/rollout/replayer.hpp"
#include "mees/rollout/threads.hpp"
#include "mees/storage/checkpoint/newest_map.hpp"
#include "mees/storage/map/lookup.hpp"
#include "mees/storage/recording_file.hpp"
#include "mees/video/video.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <iostream>

namespace mees {
namespace {

constexpr char const* description =
    R"(Replay an elite's episodes and report fitness, BC, steps and reward terms of each.)";
constexpr char const* footer =
    R"(A damage is a list of joints (J0,J1 or names) or changes of the model, joined by commas:
lock:JOINT, weak:MOTOR=0.3, friction=0.5, shorten:BODY=0.7, mass:BODY=+1.5.
Exit codes: 0 done (--check-reference: reproduced; --check-domain: deterministic); 1 not reproduced,
not deterministic, or the video failed; 2 invalid command line; 3 unusable file or cell.)";

/// Other options would have no effect on what is checked.
void require_alone(CLI::Option const* check, CLI::App const& app)
{
    std::vector<std::string> others;
    for (auto const* option : app.get_options()) {
        if (option != check && option->count() > 0) {
            others.push_back(option->get_name());
        }
    }
    if (!others.empty()) {
        throw ConfigError{"invalid command line",
                          fmt::format("{} cannot be combined with {}", fmt::join(others, ", "),
                                      check->get_name()),
                          "Remove one of them."};
    }
}

std::string headline(MapReader const& map, StoredElite const& stored, Conditions const& conditions,
                     ReplayOptions const& options, Terminal const& terminal)
{
    auto const& run = map.run();
    auto const& elite = stored.elite;
    auto text = fmt::format("{}: cell {}, {} on {}, generation {}\n", options.file.string(),
                            stored.cell.value(), escaped(run.algorithm), escaped(run.domain),
                            elite.generation.value());
    constexpr std::string_view start = "stored: ";
    auto const columns = static_cast<std::size_t>(terminal.columns);
    auto const room =
        terminal.interactive && columns > start.size() ? columns - start.size() : std::string::npos;
    auto const figures =
        fmt::format("fitness {} +- {}, {}", short_number(elite.fitness),
                    short_number(elite.fitness_std), describe_behaviour(elite.bc, map.bc_names()));
    text += fmt::format("{}{}\n", start, broken(figures, room, start.size()));
    if (!conditions.changes.empty()) {
        text += fmt::format("conditions other than the run's: {}\n",
                            fmt::join(conditions.changes, ", "));
    }
    if (!options.damage.empty()) {
        text += fmt::format("damage: {}\n", fmt::join(options.damage, ", "));
    }
    return text;
}

VideoEpisode to_video(RecordedReplay const& recorded, Domain const& domain,
                      std::string const& title)
{
    auto qpos = recorded.recording.initial_qpos;
    qpos.insert(qpos.end(), recorded.recording.qpos.begin(), recorded.recording.qpos.end());
    auto const& spec = domain.spec();
    auto const* const what = spec.fitness == FitnessRule::last_reward ? "fitness" : "return";
    return {*domain.full_model(), std::move(qpos), spec.seconds_per_step,
            [&recorded, title, what, seconds = spec.seconds_per_step](std::int64_t row) {
                return fmt::format("{}\n{} {} at {:.1f} s", title, what,
                                   short_number(recorded.fitness[static_cast<std::size_t>(row)]),
                                   seconds * static_cast<double>(row));
            }};
}

/// Shows the frames that are done: in place on a terminal, else a line per tenth of them.
void show_frames(std::int64_t done, std::int64_t total)
{
    static bool const in_place = detect_terminal(STDOUT_FILENO).interactive;
    if (in_place) {
        std::cout << fmt::format("\rvideo: frame {} of {}", done, total)
                  << (done == total ? "\n" : "") << std::flush;
    } else if (done == total || done * 10 / total > (done - 1) * 10 / total) {
        std::cout << fmt::format("video: frame {} of {}", done, total) << std::endl;
    }
}

auto size_of_video(ReplayOptions const& options)
{
    return parse_video_size(options.video_size.value_or("1280x720"));
}

/// Of a domain that draws its own images.
void film(Replayer const& replayer, Domain const& domain, std::int64_t steps,
          ReplayOptions const& options)
{
    if (options.video_size) {
        throw ConfigError{fmt::format("invalid --size {}", *options.video_size),
                          "the environment draws its images in a size of its own",
                          "Leave out --size."};
    }
    FrameVideo video{options.video, steps, domain.spec().seconds_per_step, options.video_rate,
                     options.existing};
    replayer.film(
        0, [&](std::int64_t step) { return video.wants(step); },
        [&](RenderedFrame const& frame) {
            video.add({frame.width, frame.height, frame.pixels.data()});
        });
    video.finish();
    std::cout << fmt::format("video of the first episode: {}\n", options.video.string());
}

void record(Replayer const& replayer, Domain const& domain, std::string const& title,
            Settings const& settings, ReplayOptions const& options)
{
    auto recorded = replayer.record(0);
    recorded.recording.config = to_toml(settings);
    recorded.recording.carried = domain.document();
    if (!options.trajectory.empty()) {
        AtomicFile file{options.trajectory};
        write_recording(file.temporary(), recorded.recording);
        file.commit(options.existing);
        std::cout << fmt::format("trajectory of the first episode: {}\n",
                                 options.trajectory.string());
    }
    if (!options.video.empty()) {
        auto const [width, height] = size_of_video(options);
        make_video(to_video(recorded, domain, title), options.video, options.existing,
                   {width, height, options.video_rate, show_frames});
        std::cout << fmt::format("video of the first episode: {}\n", options.video.string());
    }
}

ExitCode replay(ReplayOptions const& options, DomainRegistry const& known)
{
    require_distinct({{"--trajectory", options.trajectory}, {"--video", options.video}});
    if (!options.video.empty()) {
        require_video_name(options.video);
        (void)size_of_video(options);
        require_output(options.video, options.existing, options.file);
    }
    if (!options.trajectory.empty()) {
        require_output(options.trajectory, options.existing, options.file);
    }
    warn_of_newer_changes(options.file);
    MapReader const map{options.file};
    auto const stored = choose_elite(map, options.cell);
    auto of_run = settings_to_run(map.run(), known);
    bool const other_command = name_command(options.overrides);
    auto const domains =
        domains_of(map, of_run, known, options.model, options.allow_command || other_command);
    auto conditions = other_conditions(of_run, options.overrides, domains);
    if (other_command) {
        of_run.domain.process.command = conditions.settings.domain.process.command;
    }
    auto const trained = domains.make(of_run.domain);
    require_map_fits(map, of_run, trained->spec(), !options.model.empty());
    auto const robot = make_domain(conditions, trained, domains);
    auto& settings = conditions.settings;
    auto const added = Damage::parse(options.damage);
    auto const domain =
        added.empty() ? robot : robot->with_damage(Damage::parse(settings.domain.damage) + added);
    for (auto const& part : added.parts()) {
        settings.domain.damage.push_back(part.text);
    }
    auto const seed = static_cast<std::uint64_t>(options.seed.value_or(map.run().seed));
    Replayer const replayer{make_rollout(settings, domain), map.controller(stored.row), seed};
    auto const terminal = detect_terminal(STDOUT_FILENO);
    auto const episodes = replayer.run(options.episodes, thread_count(options.threads));
    std::cout << headline(map, stored, conditions, options, terminal)
              << episode_table(episodes, domain->spec(), terminal);
    if (!options.video.empty() && options.trajectory.empty() && !domain->full_model()) {
        film(replayer, *domain, episodes.front().outcome.steps, options);
    } else if (!options.trajectory.empty() || !options.video.empty()) {
        auto const title = fmt::format("cell {}, stored fitness {}", stored.cell.value(),
                                       short_number(stored.elite.fitness));
        record(replayer, *domain, title, settings, options);
    }
    return ExitCode::success;
}

/// Checks whether this build reproduces recorded trajectories. success: all of them; failure: one
/// is not reproduced; unusable_file: one is not a recording (the others are checked all the same).
ExitCode check_references(std::vector<std::filesystem::path> const& files,
                          DomainRegistry const& domains)
{
    bool all_reproduced = true;
    bool all_usable = true;
    for (auto const& file : files) {
        std::string place;  // Messages about the file itself name it.
        try {
            auto const recording = read_recording(file);
            place = file.string() + ": ";
            auto const check = check_reference(recording, domains);
            std::cout << reference_table(file, recording, check);
            all_reproduced = all_reproduced && check.passed();
        } catch (FileError const& error) {
            print_error("mees_replay", place + error.what());
            all_usable = false;
        }
    }
    if (!all_usable) {
        return ExitCode::unusable_file;
    }
    return all_reproduced ? ExitCode::success : ExitCode::failure;
}

/// success: the domain of the configuration is deterministic; failure: it is not.
ExitCode check_domain(std::filesystem::path const& config, Catalogue const& catalogue)
{
    auto const settings = read_settings(config, {}, catalogue.names());
    auto const domain = catalogue.domains.make(settings.domain);
    DeterminismEffort const effort;
    auto const found = check_determinism(*domain, effort);
    if (found.difference.empty()) {
        std::cout << fmt::format(
            "{}: the domain {} is deterministic: {} episodes with {} control steps, run twice, "
            "gave the same numbers\n",
            config.string(), domain->spec().name, effort.episodes, found.steps);
        return ExitCode::success;
    }
    std::cout << fmt::format("{}: the domain {} is not deterministic: {}\n", config.string(),
                             domain->spec().name, found.difference);
    return ExitCode::failure;
}

}  // namespace

Parsed<ReplayOptions> parse_replay_options(int argc, char const* const* argv)
{
    ReplayOptions options;
    CommandLine line{"mees_replay", description, footer};
    auto& app = line.app();
    auto* const file = add_map_file(app, options.file);
    app.add_option("--cell", options.cell,
                   "Elite to replay: best, a cell number, or nearest:x,y [best]")
        ->type_name("CELL");
    add_episodes(app, options.episodes, "Number of episodes [30]");
    add_damages(app, options.damage, "Damage to apply");
    add_conditions(app, options.overrides);
    add_force(app, options.existing);
    add_model(app, options.model);
    add_allow_command(app, options.allow_command);
    add_seed(app, options.seed);
    add_threads(app, options.threads, "Threads");
    app.add_option("--trajectory", options.trajectory,
                   "Write every step of the first episode to this file")
        ->type_name("OUT.h5");
    app.add_option(
           "--video", options.video,
           "Record a video of the first episode: .mp4 or .gif in real time, .png as a strip of "
           "frames; needs no display")
        ->type_name("OUT");
    app.add_option("--size", options.video_size, "Size of the video in pixels [1280x720]")
        ->type_name("WIDTHxHEIGHT");
    add_real(app, "--fps", options.video_rate, 0.1, 1000,
             "Frames per second of the video, at most [34]; it shows every k-th control step")
        ->type_name("N");
    auto* const reference =
        app.add_option(
               "--check-reference", options.references,
               "Instead of a map: check whether this build reproduces these recorded trajectories")
            ->type_name("FILE.h5");
    auto* const check =
        app.add_option("--check-domain", options.domain_config,
                       "Instead of a map: run episodes of this configuration's domain twice, in "
                       "two processes if it is one, and check whether they are the same")
            ->type_name("CONFIG.toml");
    if (auto text = line.parse(argc, argv)) {
        return {std::nullopt, std::move(*text)};
    }
    std::vector<CLI::Option*> given{file, reference, check};
    std::erase_if(given, [](CLI::Option const* option) { return option->count() == 0; });
    if (given.size() != 1) {
        throw ConfigError{"invalid command line",
                          "expected either a map, --check-reference with a trajectory, or "
                          "--check-domain with a configuration",
                          "See mees_replay --help."};
    }
    if (given.front() != file) {
        require_alone(given.front(), app);
    }
    return {std::move(options), {}};
}

int replay_main(int argc, char** argv, Catalogue const& catalogue)
{
    return run_program("mees_replay", [&] {
        auto const [options, text] = parse_replay_options(argc, argv);
        if (!options) {
            std::cout << text;
            return ExitCode::success;
        }
        if (!options->domain_config.empty()) {
            return check_domain(options->domain_config, catalogue);
        }
        return options->references.empty()
                   ? replay(*options, catalogue.domains)
                   : check_references(options->references, catalogue.domains);
    });
}

}  // namespace mees
