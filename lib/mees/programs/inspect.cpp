#include "mees/programs/programs.hpp"

#include "mees/inspection/commands.hpp"
#include "mees/programs/detail/command_line.hpp"
#include "mees/programs/detail/common_options.hpp"

#include <unistd.h>

#include <functional>
#include <iostream>

namespace mees {
namespace {

constexpr char const* description =
    "Looks at maps: what they are, their elites, pictures, curves, controllers for use elsewhere.";
constexpr char const* footer =
    "Exit codes: 0 done (diff: the same; verify: whole); 1 (diff) they differ; 2 bad command "
    "line;\n"
    "3 a file that cannot be used, with the reason. mees_inspect COMMAND --help tells more.";

using Action = std::function<ExitCode(std::ostream&)>;

/// A subcommand that looks at one file.
CLI::App& add_command(CLI::App& app, char const* name, char const* text,
                      std::filesystem::path& file)
{
    auto& command = *app.add_subcommand(name, text);
    add_map_file(command, file)->required();
    return command;
}

/// Everything that a command line can say.
struct Options {
    std::filesystem::path file;
    std::filesystem::path other;
    inspect::CellsOptions cells;
    inspect::HeatmapOptions heatmap;
    inspect::HistoryOptions history;
    inspect::ExportOptions exported;
    Terminal terminal{detect_terminal(STDOUT_FILENO)};
    Action action;
};

void add_cells(CLI::App& app, Options& options)
{
    auto& command = add_command(app, "cells", "A line per elite", options.file);
    command.callback([&] {
        options.action = [&](auto& out) {
            return inspect::cells(options.file, options.cells, out);
        };
    });
    command
        .add_option("--sort", options.cells.sort,
                    "By this column, :asc or :desc behind it; fitness and novelty are highest "
                    "first unless told [cell]")
        ->type_name("COLUMN");
    command
        .add_option("--filter", options.cells.filters,
                    "Only where this holds, such as \"fitness>100\"; may be given several times")
        ->type_name("CONDITION")
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false);
    command
        .add_option("--columns", options.cells.columns,
                    "Only these, such as cell,fitness,generation [all]")
        ->type_name("NAMES")
        ->delimiter(',');
    command.add_option("--limit", options.cells.limit, "At most so many lines [all]")
        ->type_name("N")
        ->check(CLI::NonNegativeNumber);
    auto* const csv = command.add_flag_callback(
        "--csv", [&] { options.cells.format = inspect::TableFormat::csv; },
        "As comma-separated values, every digit");
    command
        .add_flag_callback(
            "--json", [&] { options.cells.format = inspect::TableFormat::json; },
            "As JSON, a list of objects, every digit")
        ->excludes(csv);
}

void add_heatmap(CLI::App& app, Options& options)
{
    using inspect::OtherAxes;
    auto& command = add_command(app, "heatmap", "The map as a picture", options.file);
    command.callback([&] {
        options.action = [&](auto& out) {
            return inspect::heatmap(options.file, options.heatmap, options.terminal, out);
        };
    });
    command
        .add_option("--axes", options.heatmap.axes,
                    "The two axes, by name or number [the first two]")
        ->type_name("X,Y")
        ->delimiter(',');
    add_choice(
        command, "--others", options.heatmap.others,
        {{"best", OtherAxes::best}, {"mean", OtherAxes::mean}, {"nested", OtherAxes::nested}},
        "What becomes of the other axes: best or mean over them, or nested: a picture "
        "for each place on two of them [best]")
        ->type_name("HOW");
    command
        .add_option("--value", options.heatmap.value, "fitness, fitness_std or novelty [fitness]")
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
            "auto, always or never [auto: in a terminal]")
        ->type_name("WHEN")
        ->check(CLI::IsMember({"auto", "always", "never"}));
}

void add_history(CLI::App& app, Options& options)
{
    auto& command = add_command(app, "history", "How the search went, as curves", options.file);
    command.callback([&] {
        options.action = [&](auto& out) {
            return inspect::history(options.file, options.history, options.terminal, out);
        };
    });
    command
        .add_option("--columns", options.history.columns,
                    "What to draw, such as best,fitness,novelty [best,coverage,qd_score]")
        ->type_name("NAMES")
        ->delimiter(',');
    command
        .add_option("--against", options.history.against,
                    "Along generation, episodes, steps or seconds [generation]")
        ->type_name("WHAT")
        ->check(CLI::IsMember({"generation", "episodes", "steps", "seconds"}));
    command.add_flag("--csv", options.history.csv,
                     "All columns as comma-separated values, every digit");
    add_colour(command, options);
}

void add_export(CLI::App& app, Options& options)
{
    auto& command =
        add_command(app, "export", "Controllers as .npz (numpy) and .onnx", options.file);
    command.callback([&] {
        options.action = [&](auto& out) {
            return inspect::export_controllers(options.file, options.exported, out);
        };
    });
    command
        .add_option("--cell", options.exported.cell,
                    "best, a cell's number, nearest:x,y, or all [best]")
        ->type_name("CELL");
    command
        .add_option("--out", options.exported.to,
                    "NAME.npz, NAME.onnx, or a folder for both of each controller")
        ->type_name("PATH")
        ->required();
}

ExitCode inspect_files(int argc, char** argv)
{
    Options options;
    CommandLine line{"mees_inspect", description, footer};
    auto& app = line.app();
    app.require_subcommand(1);
    add_command(app, "summary", "What it is, how far, its best cells, where time went",
                options.file)
        .callback([&] {
            options.action = [&](auto& out) { return inspect::summary(options.file, out); };
        });
    add_cells(app, options);
    add_heatmap(app, options);
    add_colour(*app.get_subcommand("heatmap"), options);
    add_history(app, options);
    add_export(app, options);
    add_command(app, "verify", "Reads every byte: is the file whole?", options.file).callback([&] {
        options.action = [&](auto& out) { return inspect::verify(options.file, out); };
    });
    auto& diff = add_command(app, "diff", "Are two maps the same to the bit?", options.file);
    diff.add_option("other", options.other, "The map to compare with")
        ->type_name("FILE")
        ->required();
    diff.callback([&] {
        options.action = [&](auto& out) { return inspect::diff(options.file, options.other, out); };
    });
    if (auto const text = line.parse(argc, argv)) {
        std::cout << *text;
        return ExitCode::success;
    }
    return options.action(std::cout);
}

}  // namespace

int inspect_main(int argc, char** argv)
{
    return run_program("mees_inspect", [&] { return inspect_files(argc, argv); });
}

}  // namespace mees
