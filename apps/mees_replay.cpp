#include "mees/config/config.hpp"
#include "mees/core/new_file.hpp"
#include "mees/experiment/command_line.hpp"
#include "mees/experiment/map_fit.hpp"
#include "mees/experiment/problem.hpp"
#include "mees/experiment/reference_report.hpp"
#include "mees/experiment/replay_options.hpp"
#include "mees/inspection/lookup.hpp"
#include "mees/report/episode_table.hpp"
#include "mees/report/format.hpp"
#include "mees/rollout/replayer.hpp"
#include "mees/rollout/thread_evaluator.hpp"
#include "mees/sim/damage.hpp"
#include "mees/storage/recording_file.hpp"
#include "mees/video/video.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>

namespace {

using namespace mees;

std::string headline(MapReader const& map, StoredElite const& stored, ReplayOptions const& options)
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

VideoEpisode to_video(RecordedReplay const& recorded, Domain const& domain,
                      std::string const& title)
{
    auto qpos = recorded.recording.initial_qpos;
    qpos.insert(qpos.end(), recorded.recording.qpos.begin(), recorded.recording.qpos.end());
    return {*domain.whole_model(), std::move(qpos), domain.spec().seconds_per_step,
            [&recorded, title, seconds = domain.spec().seconds_per_step](std::int64_t row) {
                return fmt::format("{}\n{} after {:.1f} s", title,
                                   short_number(recorded.fitness[static_cast<std::size_t>(row)]),
                                   seconds * static_cast<double>(row));
            }};
}

void record(Replayer const& replayer, Domain const& domain, std::string const& title,
            Settings const& settings, ReplayOptions const& options)
{
    auto recorded = replayer.record(0);
    recorded.recording.config = to_toml(settings);
    if (!options.trajectory.empty()) {
        write_recording(options.trajectory, recorded.recording);
        std::cout << fmt::format("the first episode's trajectory is in {}\n",
                                 options.trajectory.string());
    }
    if (!options.video.empty()) {
        make_video(to_video(recorded, domain, title), options.video);
        std::cout << fmt::format("a video of the first episode is in {}\n", options.video.string());
    }
}

ExitCode replay(ReplayOptions const& options)
{
    if (!options.video.empty()) {
        require_video_name(options.video);
    }
    if (!options.trajectory.empty()) {
        require_new_file(options.trajectory);
    }
    MapReader const map{options.file};
    auto const stored = choose_elite(map, options.cell);
    auto settings = settings_to_run(map.run());
    require_map_fits(map, settings, make_domain(settings.domain)->spec());
    for (auto const& damage : options.damage) {
        std::ranges::move(split_damage(damage), std::back_inserter(settings.domain.damage));
    }
    auto const domain = make_domain(settings.domain);
    auto const seed = static_cast<std::uint64_t>(options.seed.value_or(map.run().seed));
    Replayer const replayer{make_rollout(settings, domain), map.controller(stored.row), seed};
    std::cout << headline(map, stored, options)
              << episode_table(replayer.run(options.episodes, thread_count(options.threads)),
                               domain->spec());
    if (!options.trajectory.empty() || !options.video.empty()) {
        auto const title = fmt::format("cell {}, fitness {}", stored.cell.value(),
                                       short_number(stored.elite.fitness));
        record(replayer, *domain, title, settings, options);
    }
    return ExitCode::success;
}

}  // namespace

int main(int argc, char** argv)
{
    return mees::run_program("mees_replay", [&] {
        ReplayOptions options;
        if (auto const text = parse_replay_options(options, argc, argv)) {
            std::cout << *text;
            return ExitCode::success;
        }
        return options.references.empty()
                   ? replay(options)
                   : report_references(options.references, std::cout, std::cerr);
    });
}
