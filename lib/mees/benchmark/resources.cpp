#include "mees/benchmark/bench.hpp"
#include "mees/benchmark/detail/subjects.hpp"
#include "mees/benchmark/goals.hpp"
#include "mees/cluster/shared_noise_table.hpp"
#include "mees/cluster/with_evaluator.hpp"
#include "mees/experiment/problem.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include <unistd.h>

namespace mees::bench {
namespace {

std::int64_t paper_table(Options const& options)
{
    return options.quick ? 25'000'000 : 250'000'000;
}

double kilobytes_after(std::string const& line)
{
    return std::stod(line.substr(line.find(':') + 1));
}

/// Resident megabytes of this process without the part of the table that it has touched.
double resident_megabytes(std::span<float const> table)
{
    double total = 0;
    std::ifstream status{"/proc/self/status"};
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmRSS:")) {
            total = kilobytes_after(line);
        }
    }
    auto const address = reinterpret_cast<std::uintptr_t>(table.data());
    std::ifstream maps{"/proc/self/smaps"};
    bool within = false;
    for (std::string line; std::getline(maps, line);) {
        std::uintptr_t begin = 0;
        std::uintptr_t end = 0;
        char dash = 0;
        std::istringstream range{line.substr(0, line.find(' '))};
        if (line.find(':') > line.find(' ') && range >> std::hex >> begin >> dash >> end) {
            within = begin <= address && address < end;
        } else if (within && line.starts_with("Rss:")) {
            total -= kilobytes_after(line);
        }
    }
    return total * 1.024e-3;
}

/// Seconds since this process was started.
double process_age()
{
    std::ifstream stat{"/proc/self/stat"};
    std::string text{std::istreambuf_iterator<char>{stat}, {}};
    std::istringstream fields{text.substr(text.rfind(')') + 2)};
    std::string field;
    constexpr int start_time = 20;  // counted from the state after the name
    for (int i = 0; i < start_time; ++i) {
        fields >> field;
    }
    double uptime = 0;
    std::ifstream{"/proc/uptime"} >> uptime;
    return uptime - std::stod(field) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

/// Collective: runs this many episodes on all ranks but 0.
void run_offspring(ClusterRuntime& runtime, RolloutSetup const& setup, std::span<float const> noise,
                   Settings const& settings, std::int64_t episodes)
{
    auto const batch =
        offspring(settings, setup.network, episodes, static_cast<std::int64_t>(noise.size()));
    (void)with_evaluator(runtime, setup, noise, 0, [&](Evaluator& evaluator) {
        StopToken stop;
        (void)evaluator.evaluate(batch, stop);
        return ExitCode::success;
    });
}

}  // namespace

void measure_startup(ClusterRuntime& runtime, Table& table, Options const& options)
{
    auto settings = paper_settings("ant");
    settings.domain.episode_steps = 1;
    auto const setup = make_rollout(settings, domain_of(settings));
    SharedNoiseTable const noise{runtime, paper_table(options), 42, 0};
    run_offspring(runtime, setup, noise.values(), settings, 2 * runtime.size());
    if (runtime.is_master()) {
        table.add("startup",
                  fmt::format("{} ranks, table filled, first episodes done", runtime.size()), "s",
                  {process_age()}, goals::startup_seconds);
    }
}

void measure_memory(ClusterRuntime& runtime, Table& table, Options const& options)
{
    auto settings = paper_settings("ant");
    settings.domain.episode_steps = 20;
    auto const setup = make_rollout(settings, domain_of(settings));
    SharedNoiseTable const noise{runtime, paper_table(options), 42, 0};
    run_offspring(runtime, setup, noise.values(), settings, 20 * runtime.size());
    auto const results = runtime.gather(std::to_string(resident_megabytes(noise.values())));
    if (!runtime.is_master()) {
        return;
    }
    std::vector<double> megabytes;
    for (auto const& result : std::span{results}.subspan(1)) {
        megabytes.push_back(std::stod(result));
    }
    table.add("memory", fmt::format("a worker of {} ranks, without the table", runtime.size()),
              "MB", megabytes, goals::worker_megabytes);
}

}  // namespace mees::bench
