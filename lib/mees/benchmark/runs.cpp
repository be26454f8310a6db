#include "mees/benchmark/bench.hpp"
#include "mees/benchmark/detail/subjects.hpp"
#include "mees/benchmark/goals.hpp"
#include "mees/benchmark/spawn.hpp"
#include "mees/core/stopwatch.hpp"
#include "mees/es/noise_table.hpp"
#include "mees/experiment/problem.hpp"

#include <fmt/format.h>

#include <atomic>
#include <fstream>
#include <iostream>
#include <sstream>
#include <thread>

namespace mees::bench {
namespace {

/// Control steps per second of bare engines on all cores at once.
class BareCores {
  public:
    BareCores(Settings const& settings, unsigned cores)
    {
        auto const domain = domain_of(settings);
        auto const noise = make_noise_table(1'000'000, 42, 1);
        auto const setup = make_rollout(settings, domain);
        episodes_ = record(settings, offspring(settings, setup.network, 8, 1'000'000), noise);
        for (unsigned i = 0; i < cores; ++i) {
            engines_.emplace_back(*domain);
        }
    }

    [[nodiscard]] double steps_per_second(double seconds)
    {
        std::atomic<std::int64_t> steps{0};
        Stopwatch watch;
        {
            std::vector<std::jthread> pool;
            for (auto& engine : engines_) {
                pool.emplace_back([&] {
                    for (std::size_t i = 0; watch.seconds() < seconds; ++i) {
                        auto const& episode = episodes_[i % episodes_.size()];
                        engine.repeat(episode);
                        steps += episode.steps;
                    }
                });
            }
        }
        return static_cast<double>(steps) / watch.seconds();
    }

  private:
    std::vector<OpenLoopEpisode> episodes_;
    std::vector<BarePhysics> engines_;
};

std::vector<std::string> split_fields(std::string const& line)
{
    std::vector<std::string> fields;
    std::istringstream columns{line};
    for (std::string field; std::getline(columns, field, ',');) {
        fields.push_back(field);
    }
    return fields;
}

/// Control steps per second of all generations but the first in a metrics.csv.
double steps_per_second(std::filesystem::path const& metrics)
{
    std::ifstream file{metrics};
    std::string line;
    std::getline(file, line);
    auto const names = split_fields(line);
    auto const column = [&](std::string_view name) {
        auto const found = std::ranges::find(names, name);
        expects(found != names.end(), "a metrics.csv with the columns steps and seconds");
        return found - names.begin();
    };
    auto const steps_column = column("steps");
    auto const seconds_column = column("seconds");
    double first_steps = -1;
    double last_steps = 0;
    double seconds = 0;
    while (std::getline(file, line)) {
        auto const fields = split_fields(line);
        expects(fields.size() == names.size(), "a metrics.csv with complete rows");
        last_steps = std::stod(fields[static_cast<std::size_t>(steps_column)]);
        if (first_steps < 0) {
            first_steps = last_steps;
        } else {
            seconds += std::stod(fields[static_cast<std::size_t>(seconds_column)]);
        }
    }
    return seconds > 0 ? (last_steps - first_steps) / seconds : 0;
}

void write_config(std::filesystem::path const& path, bool quick)
{
    std::ofstream{path} << fmt::format(
        "[run]\ngenerations = 2\n"
        "[domain]\nname = \"ant\"\nepisode_steps = 250\n"
        "[noise]\ntable_size = 20_000_000\n"
        "[es]\npopulation = {}\n"
        "[algorithm]\nn_eval = 6\n",
        quick ? 60 : 300);
}

}  // namespace

void measure_runs(Table& table, Options const& options)
{
    auto const master = options.self.parent_path() / "mees_master";
    if (!std::filesystem::exists(master)) {
        std::cout << fmt::format("generation  complete runs skipped: no mees_master next to {}\n",
                                 options.self.string());
        return;
    }
    auto const cores = std::max(1U, std::thread::hardware_concurrency());
    TemporaryFolder const folder{options.folder};
    auto const config = folder.path() / "bench.toml";
    write_config(config, options.quick);
    auto settings = paper_settings("ant");
    settings.domain.episode_steps = 250;
    BareCores bare{settings, cores};
    auto const run = fmt::format("{} {} --resume never --out {}", quoted(master), quoted(config),
                                 quoted(folder.path() / "run"));
    std::vector<std::pair<std::string, std::string>> ways{
        {fmt::format("a run on {} threads, over bare mj_step", cores),
         fmt::format("{} --threads {}", run, cores)}};
    if (!options.launcher.empty()) {
        ways.emplace_back(fmt::format("a run with mpirun -n {}, the same", cores + 1),
                          fmt::format("{} {} {}", options.launcher, cores + 1, run));
    }
    for (auto const& [what, command] : ways) {
        std::vector<double> shares;
        double before = bare.steps_per_second(options.quick ? 1 : 4);
        for (int i = 0; i < (options.quick ? 1 : 5); ++i) {
            if (run_command(command, folder.path() / "log") != 0) {
                throw Error{ExitCode::failure, "mees_master failed",
                            read_text(folder.path() / "log"), ""};
            }
            double const steps = steps_per_second(folder.path() / "run" / "metrics.csv");
            double const after = bare.steps_per_second(options.quick ? 1 : 4);
            shares.push_back(steps / (0.5 * (before + after)));
            before = after;
            std::filesystem::remove_all(folder.path() / "run");
        }
        table.add("generation", what, "", shares, goals::complete_run);
    }
}

}  // namespace mees::bench
