#include "mees/report/run_report.hpp"

#include "mees/core/atomic_file.hpp"
#include "mees/core/log.hpp"
#include "mees/report/format.hpp"

#include <numeric>
#include <utility>

namespace mees {
namespace {

/// Generations over which the time of one is averaged for the ETA.
constexpr std::size_t recent_generations = 20;

constexpr char const* summary_name = "summary.json";

std::string opening(SearchProblem const& problem, std::filesystem::path const& folder,
                    RunSoFar const& so_far)
{
    auto const& settings = problem.settings;
    auto text =
        fmt::format("{} on {}, seed {}: {} parameters, {} cells\n{} generations, run folder {}",
                    problem.label(), settings.domain.name, settings.run.seed,
                    grouped(problem.network.parameter_count()), grouped(problem.space.cells()),
                    settings.run.generations, folder.string());
    if (!so_far.history.empty()) {
        text +=
            fmt::format("\nresuming after generation {}", so_far.history.back().generation.value());
    }
    return text;
}

}  // namespace

RunReport::RunReport(std::filesystem::path folder, SearchProblemPtr problem,
                     std::vector<std::string> bc_names, RunSoFar so_far, std::ostream& out,
                     Terminal terminal, std::function<void()> require_folder)
    : folder_{std::move(folder)},
      problem_{std::move(problem)},
      bc_names_{std::move(bc_names)},
      out_{out},
      terminal_{terminal},
      require_folder_{std::move(require_folder)},
      metrics_{folder_ / "metrics.csv", problem_->settings.map.qd_offset, so_far.history,
               so_far.seconds, require_folder_},
      elapsed_{std::accumulate(so_far.seconds.begin(), so_far.seconds.end(), 0.0)},
      episodes_{so_far.history.empty() ? 0 : so_far.history.back().episodes}
{
    std::error_code error;
    std::filesystem::remove(folder_ / summary_name, error);  // of an earlier process
    out_ << opening(*problem_, folder_, so_far) << std::endl;
}

RunReport::~RunReport()
{
    end_line();
}

void RunReport::record(GenerationRecord const& record, double seconds)
{
    metrics_.append(record, seconds);
    auto const progress = progress_of(record, seconds);
    log::info("{}", log_line(progress));
    show(progress);
}

Progress RunReport::progress_of(GenerationRecord const& record, double seconds)
{
    elapsed_ += seconds;
    session_ += seconds;
    recent_.push_back({seconds, record.episodes - episodes_});
    episodes_ = record.episodes;
    if (recent_.size() > recent_generations) {
        recent_.pop_front();
    }
    Progress progress{.record = record,
                      .generations = problem_->settings.run.generations,
                      .cells = problem_->space.cells(),
                      .qd_offset = problem_->settings.map.qd_offset,
                      .episodes_per_second = std::nullopt,
                      .elapsed = elapsed_,
                      .remaining = std::nullopt,
                      .shows_weight = problem_->algorithm.known.names(KeyGroup::nsra)};
    double recent_seconds = 0;
    std::int64_t recent_episodes = 0;
    for (auto const& [of_row, episodes] : recent_) {
        recent_seconds += of_row;
        recent_episodes += episodes;
    }
    if (recent_seconds > 0) {
        progress.episodes_per_second = static_cast<double>(recent_episodes) / recent_seconds;
    }
    if (record.generation.value() > 0) {
        auto const left = progress.generations - record.generation.value();
        progress.remaining =
            recent_seconds / static_cast<double>(recent_.size()) * static_cast<double>(left);
    }
    return progress;
}

void RunReport::show(Progress const& progress)
{
    if (terminal_.interactive) {
        out_ << "\r\x1b[K" << bar_line(progress, terminal_) << std::flush;
        line_open_ = true;
    } else {
        out_ << log_line(progress) << std::endl;
    }
}

void RunReport::end_line()
{
    if (std::exchange(line_open_, false)) {
        out_ << std::endl;
    }
}

void RunReport::save_summary(State const& state, std::string const& stopped_by,
                             double seconds) const
{
    RunEnd const end{folder_, bc_names_, stopped_by, seconds, session_, {}};
    try {
        write_file(folder_ / summary_name, run_summary_json(*problem_, state, end),
                   require_folder_);
    } catch (WriteError const& error) {
        log::warning("{}", error.what());
    }
}

void RunReport::finish(State const& state, std::string const& stopped_by, double seconds,
                       TimeSplit time)
{
    end_line();
    RunEnd const end{folder_, bc_names_, stopped_by, seconds, session_, std::move(time)};
    out_ << "\n" << run_summary(*problem_, state, end, terminal_) << std::flush;
    log::info("{}", stopped_by.empty() ? "finished" : "stopped by " + stopped_by);
}

}  // namespace mees
