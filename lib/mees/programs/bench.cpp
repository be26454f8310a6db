#include "mees/benchmark/bench.hpp"
#include "mees/benchmark/spawn.hpp"
#include "mees/programs/detail/cluster_program.hpp"
#include "mees/programs/detail/command_line.hpp"
#include "mees/programs/detail/common_options.hpp"
#include "mees/programs/programs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <string_view>
#include <thread>

namespace mees::bench {
namespace {

using Alone = std::function<void(Table&, Options const&)>;
using Together = std::function<void(ClusterRuntime&, Table&, Options const&)>;

std::vector<std::string> const all_groups{"episode", "generation", "gradient", "novelty",
                                          "cvt",     "process",    "protocol", "memory",
                                          "startup", "checkpoint"};

std::map<std::string, Alone> const alone{
    {"episode", measure_episodes},
    {"gradient", measure_gradient},
    {"novelty", measure_novelty},
    {"cvt", measure_cvt},
    {"process", measure_process},
    {"checkpoint", measure_checkpoint},
    {"generation",
     [](Table& table, Options const& options) {
         measure_update(table, options);
         measure_runs(table, options);
     }},
};

std::map<std::string, Together> const together{
    {"protocol", measure_protocol},
    {"memory", measure_memory},
    {"startup", measure_startup},
};

/// Starts this program again on several ranks and adds the rows that they measured.
void measure_on_ranks(std::string const& group, int ranks, Table& table, Options const& options)
{
    TemporaryFolder const folder{options.folder};
    auto const json = folder.path() / "rows.json";
    auto const command = fmt::format("{} {} {} {} {} --seconds {} --json {}", options.launcher,
                                     ranks, quoted(options.self), group,
                                     options.quick ? "--quick" : "", options.seconds, quoted(json));
    if (run_command(command) != 0) {
        throw ClusterError{fmt::format("cannot measure {} on {} ranks", group, ranks),
                           fmt::format("{} failed", command),
                           "Set --launcher to a command that starts ranks on this machine."};
    }
    table.add_json(read_text(json));
}

void start_ranks(std::string const& group, Table& table, Options const& options)
{
    if (options.launcher.empty()) {
        std::cout << fmt::format(
            "{:<11} skipped: mpirun not found; run mpirun -n N mees_bench {}\n", group, group);
        return;
    }
    auto const own_core = static_cast<int>(std::thread::hardware_concurrency()) + 1;
    for (int const ranks : group == "protocol" ? options.ranks : std::vector{own_core}) {
        measure_on_ranks(group, ranks, table, options);
    }
}

void measure(ClusterRuntime& runtime, std::string const& group, Table& table,
             Options const& options)
{
    if (auto const found = alone.find(group); found != alone.end()) {
        if (runtime.is_master()) {
            found->second(table, options);
        }
    } else if (runtime.size() == 1) {
        start_ranks(group, table, options);
    } else {
        together.at(group)(runtime, table, options);
    }
}

Parsed<Options> parse(int argc, char const* const* argv)
{
    Options options;
    std::vector<std::string> groups{"all"};
    CommandLine line{
        "mees_bench", "Measure this build on this machine against the limits of both.",
        "See docs/performance.md for the meaning of each row.\n"
        "mpirun -n N mees_bench protocol measures an allocation of N ranks.\n"
        "Exit codes: 0 done; 1 any other error; 2 invalid command line; 3 unwritable file."};
    auto& app = line.app();
    auto choices = all_groups;
    choices.emplace_back("all");
    app.add_option("what", groups, "What to measure [all]")
        ->type_name("")
        ->check(CLI::IsMember(choices));
    app.add_option("--json", options.json, "Also write the rows to this file")
        ->type_name("FILE.json");
    add_force(app, options.existing);
    app.add_flag("--quick", options.quick, "Use smaller sizes and fewer repetitions");
    app.add_option("--ranks", options.ranks,
                   fmt::format("Numbers of ranks that `protocol` starts [{}]",
                               fmt::join(options.ranks, ",")))
        ->type_name("N,N")
        ->delimiter(',');
    add_real(app, "--seconds", options.seconds, 1e-6, 1e6,
             fmt::format("Mean duration of the episodes of `protocol` [{}]", options.seconds))
        ->type_name("SECONDS");
    options.launcher = default_launcher();
    app.add_option("--launcher", options.launcher,
                   "Command that starts ranks, without their number [mpirun, if found]")
        ->type_name("COMMAND");
    options.folder = std::filesystem::temp_directory_path();
    app.add_option("--folder", options.folder, "Folder for temporary files [the system's]")
        ->type_name("DIR");
    if (auto text = line.parse(argc, argv)) {
        return {std::nullopt, std::move(*text)};
    }
    options.groups = std::ranges::find(groups, "all") != groups.end() ? all_groups : groups;
    options.self = std::filesystem::read_symlink("/proc/self/exe");
    return {std::move(options), {}};
}

/// Measures the requested groups on all ranks. In a single process it starts further ranks for the
/// groups that need them.
ExitCode run(ClusterRuntime& runtime, Options const& options)
{
    if (runtime.is_master() && !options.json.empty()) {
        require_output(options.json, options.existing);
    }
    Table table;
    for (auto const& group : options.groups) {
        measure(runtime, group, table, options);
    }
    if (runtime.is_master() && !options.json.empty()) {
        write_new_file(options.json, table.json(), options.existing);
    }
    return ExitCode::success;
}

}  // namespace
}  // namespace mees::bench

namespace mees {

int bench_main(int argc, char** argv)
{
    if (argc == 2 && std::string_view{argv[1]} == bench::server_argument) {
        return bench::serve_environment();
    }
    return run_cluster_program(
        "mees_bench", argc, argv, [&] { return bench::parse(argc, argv); }, bench::run);
}

}  // namespace mees
