#include "mees/experiment/replay_options.hpp"

#include "mees/experiment/command_line.hpp"
#include "mees/experiment/common_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mees {
namespace {

constexpr char const* description =
    "Runs an elite's episodes again and tells what came of them: fitness, BC, steps, reward terms.";
constexpr char const* footer =
    "A damage is joints (J0,J1 or names) or changes of the model: lock:JOINT, weak:MOTOR=0.3,\n"
    "friction=0.5, shorten:BODY=0.7, mass:BODY=+1.5, joined by commas.\n"
    "Exit codes: 0 done (--check-reference: reproduced); 1 not reproduced, or a video that cannot\n"
    "be made; 2 bad command line; 3 a file or cell that cannot be used, with the reason.";

/// A recording is checked as it is: what the other options change would be changed in silence.
void refuse_beside(CLI::Option const* reference, CLI::App const& app)
{
    std::vector<std::string> others;
    for (auto const* option : app.get_options()) {
        if (option != reference && option->count() > 0) {
            others.push_back(option->get_name());
        }
    }
    if (!others.empty()) {
        throw ConfigError{fmt::format("the command line has {} beside --check-reference",
                                      fmt::join(others, ", ")),
                          "a recorded trajectory is checked as it is",
                          "leave out one or the other"};
    }
}

}  // namespace

std::optional<std::string> parse_replay_options(ReplayOptions& options, int argc,
                                                char const* const* argv)
{
    CommandLine line{"mees_replay", description, footer};
    auto& app = line.app();
    auto* const file = add_map_file(app, options.file);
    app.add_option("--cell", options.cell, "best, a cell's number, or nearest:x,y [best]")
        ->type_name("CELL");
    add_episodes(app, options.episodes, "How many [30]");
    add_damages(app, options.damage, "Break the robot");
    add_seed(app, options.seed);
    add_threads(app, options.threads, "How many episodes at a time");
    app.add_option("--trajectory", options.trajectory,
                   "Write every step of the first episode to this file")
        ->type_name("OUT.h5");
    app.add_option(
           "--video", options.video,
           "Record a video of the first episode: .mp4 or .gif in real time, .png as a strip of "
           "frames; "
           "needs no display")
        ->type_name("OUT");
    auto* const reference =
        app.add_option("--check-reference", options.references,
                       "Instead: does this build reproduce these recorded trajectories?")
            ->type_name("FILE.h5");
    if (auto text = line.parse(argc, argv)) {
        return text;
    }
    if ((file->count() > 0) == (reference->count() > 0)) {
        throw ConfigError{"the command line cannot be understood",
                          "it must name either a map or, with --check-reference, a trajectory",
                          "See mees_replay --help."};
    }
    if (reference->count() > 0) {
        refuse_beside(reference, app);
    }
    return std::nullopt;
}

}  // namespace mees
