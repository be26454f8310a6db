#include "mees/programs/programs.hpp"

#include "mees/config/bounds.hpp"
#include "mees/inspection/commands.hpp"
#include "mees/programs/detail/command_line.hpp"
#include "mees/programs/detail/common_options.hpp"
#include "mees/storage/checkpoint/newest_map.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iostream>
#include <limits>

namespace mees {
namespace {

constexpr char const* description =
    R"(Inspect map files: summary, elites, heatmaps, learning curves, controller export.)";
constexpr char const* footer =
    R"(Exit codes: 0 done (diff: identical; verify: intact); 1 the maps of diff differ, or the output
could not be written; 2 invalid command line; 3 unusable file. See mees_inspect COMMAND --help for
the options of a command.)";

using Action = std::function<ExitCode(std::ostream&)>;

/// The options of all subcommands.
struct Options {
    std::filesystem::path file;
    std::filesystem::path folder;  ///< if one was given instead of a file
    std::filesystem::path other;
    std::filesystem::path merged;
    inspect::CellsOptions cells;
    inspect::HeatmapOptions heatmap;
    inspect::HistoryOptions history;
    inspect::ExportOptions exported;
    Terminal terminal{detect_terminal(STDOUT_FILENO)};
    Action action;
};

/// A subcommand for one file.
CLI::App& add_command(CLI::App& app, Options& options, char const* name, char const* text,
                      Action const& action)
{
    auto& command = *app.add_subcommand(name, text);
    add_map_file(command, options.file, "file", "Map file or run folder, such as runs/NAME",
                 &options.folder)
        ->required();
    command.callback([&options, action] { options.action = action; });
    return command;
}

void add_cells(CLI::App& app, Options& options)
{
    auto& command =
        add_command(app, options, "cells", "List the elites, one per line", [&](auto& out) {
            return inspect::cells(options.file, options.cells, options.terminal, out);
        });
    command
        .add_option("--sort", options.cells.sort,
                    "Sort by this column; append :asc or :desc for the order, or put - before it "
                    "(fitness, novelty and robust default to descending; robust: the 5 % quantile "
                    "over the variants of mees_evaluate --variants) [cell]")
        ->type_name("COLUMN");
    command
        .add_option("--filter", options.cells.filters,
                    "Only elites that match, such as \"fitness>100\"; repeatable")
        ->type_name("CONDITION")
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false);
    command
        .add_option("--columns", options.cells.columns,
                    "Columns to print, such as cell,fitness,generation [all]")
        ->type_name("NAMES")
        ->delimiter(',');
    add_integer(command, "--limit", options.cells.limit, 0,
                std::numeric_limits<std::int64_t>::max(), "Maximum number of elites [all]");
    auto* const csv = command.add_flag_callback(
        "--csv", [&] { options.cells.format = inspect::TableFormat::csv; },
        "Print comma-separated values with all digits");
    command
        .add_flag_callback(
            "--json", [&] { options.cells.format = inspect::TableFormat::json; },
            "Print a JSON list of objects with all digits")
        ->excludes(csv);
}

void add_heatmap(CLI::App& app, Options& options)
{
    using inspect::OtherAxes;
    auto& command =
        add_command(app, options, "heatmap", "Draw the map as a heatmap", [&](auto& out) {
            return inspect::heatmap(options.file, options.heatmap, options.terminal, out);
        });
    command
        .add_option("--axes", options.heatmap.axes, "Two axes, by name or number [the first two]")
        ->type_name("X,Y")
        ->delimiter(',');
    add_choice(
        command, "--others", options.heatmap.others,
        {{"best", OtherAxes::best}, {"mean", OtherAxes::mean}, {"nested", OtherAxes::nested}},
        "How to reduce the other axes: best or mean over them, or nested: one heatmap "
        "per bin of two of them [best]")
        ->type_name("HOW");
    command.add_option("--value", options.heatmap.value, "Quantity to draw [fitness]")
        ->type_name("WHAT")
        ->check(CLI::IsMember({"fitness", "fitness_std", "novelty"}));
}

void add_colour(CLI::App& command, Options& options)
{
    command
        .add_option_function<std::string>(
            "--colour",
            [&](std::string const& when) {
                if (when != "auto") {
                    options.terminal.colour = when == "always";
                    options.terminal.utf8 |= when == "always";
                }
            },
            "When to use colour; auto: in a terminal [auto]")
        ->type_name("WHEN")
        ->check(CLI::IsMember({"auto", "always", "never"}));
}

void add_qd_offset(CLI::App& command, Options& options)
{
    add_real(command, "--qd-offset", options.history.qd_offset, -bounds::largest_outcome,
             bounds::largest_outcome,
             "Offset of the QD score, subtracted from the fitness of each elite [the run's]");
}

void add_history(CLI::App& app, Options& options)
{
    auto& command = add_command(app, options, "history", "Draw learning curves", [&](auto& out) {
        return inspect::history(options.file, options.history, options.terminal, out);
    });
    command
        .add_option("--columns", options.history.columns,
                    "Columns to draw, such as best,fitness,novelty [best,coverage,qd_score]")
        ->type_name("NAMES")
        ->delimiter(',');
    command.add_option("--against", options.history.against, "Horizontal axis [generation]")
        ->type_name("WHAT")
        ->check(CLI::IsMember({"generation", "episodes", "steps", "seconds"}));
    command.add_flag("--csv", options.history.csv,
                     "Print all columns as comma-separated values with all digits");
    add_qd_offset(command, options);
    add_colour(command, options);
}

void add_export(CLI::App& app, Options& options)
{
    auto& command = add_command(
        app, options, "export", "Export controllers as .npz (NumPy) and .onnx", [&](auto& out) {
            if (options.exported.to.empty() && options.exported.deploy.empty()) {
                throw ConfigError{"invalid command line", "--out or --deploy is required",
                                  "See mees_inspect export --help."};
            }
            return inspect::export_controllers(options.file, options.exported, out);
        });
    command
        .add_option("--cell", options.exported.cell,
                    "Elites to export: best, a cell number, nearest:x,y, or all [best]")
        ->type_name("CELL");
    auto* const to =
        command
            .add_option("--out", options.exported.to,
                        "NAME.npz, NAME.onnx, or a folder for both formats of each controller")
            ->type_name("PATH");
    command
        .add_option("--deploy", options.exported.deploy,
                    "Folder for the .onnx file, deploy.yaml (names, order and scale of inputs and "
                    "outputs, control period) and an example ROS 2 node")
        ->type_name("DIR")
        ->excludes(to);
    add_force(command, options.exported.existing);
}

void add_merge(CLI::App& app, Options& options)
{
    auto& command = *app.add_subcommand("merge", "Write the newest state of a run as one map");
    command.add_option("folder", options.folder, "Run folder, such as runs/NAME")
        ->type_name("DIR")
        ->required();
    command
        .add_option("--out", options.merged,
                    "A new map file, also of a run that is running [map.h5 of the folder]")
        ->type_name("FILE");
    add_force(command, options.exported.existing);
    command.callback([&options] {
        options.action = [&options](std::ostream& out) {
            return inspect::merge(options.folder, options.merged, options.exported.existing, out);
        };
    });
}

ExitCode inspect_files(int argc, char** argv)
{
    Options options;
    CommandLine line{"mees_inspect", description, footer};
    auto& app = line.app();
    app.require_subcommand(1);
    add_qd_offset(add_command(app, options, "summary",
                              "Print the run, its progress, the best cells and timing",
                              [&](auto& out) {
                                  return inspect::summary(options.file, options.folder,
                                                          options.history.qd_offset,
                                                          options.terminal, out);
                              }),
                  options);
    add_cells(app, options);
    add_heatmap(app, options);
    add_colour(*app.get_subcommand("heatmap"), options);
    add_history(app, options);
    add_export(app, options);
    add_command(app, options, "verify", "Read every byte and check that the file is intact",
                [&](auto& out) {
                    return inspect::verify(options.folder.empty() ? options.file : options.folder,
                                           out);
                });
    auto& diff =
        add_command(app, options, "diff", "Check whether two maps are bit-identical",
                    [&](auto& out) { return inspect::diff(options.file, options.other, out); });
    add_merge(app, options);
    add_map_file(diff, options.other, "other", "Map file or run folder to compare with")
        ->required();
    if (auto const text = line.parse(argc, argv)) {
        std::cout << *text;
        return ExitCode::success;
    }
    bool const reads_map_alone =
        std::ranges::none_of(std::array{"summary", "verify", "merge"},
                             [&](char const* name) { return app.got_subcommand(name); });
    if (reads_map_alone) {
        warn_of_newer_changes(options.file);
        warn_of_newer_changes(options.other);
    }
    return options.action(std::cout);
}

}  // namespace

int inspect_main(int argc, char** argv)
{
    return run_program("mees_inspect", [&] { return inspect_files(argc, argv); });
}

}  // namespace mees
