#include "mees/experiment/recovery_book.hpp"

#include "mees/adaptation/recovery_report.hpp"
#include "mees/core/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <tuple>
#include <utility>

namespace mees {
namespace {

namespace fs = std::filesystem;

/// What must be the same for results to stand in one file.
void check_same(fs::path const& path, RecoveryDocument const& stored, RecoveryDocument const& begun)
{
    std::vector<std::string> differences;
    auto const compare = [&](char const* what, auto const& before, auto const& now) {
        if (!(before == now)) {
            differences.push_back(fmt::format("{} was {} and is {}", what, before, now));
        }
    };
    auto const& old = stored.settings;
    auto const& fresh = begun.settings;
    compare("the map's SHA-256", stored.map_sha256, begun.map_sha256);
    compare("--trials", old.optimiser.trials, fresh.optimiser.trials);
    compare("--episodes-per-trial", old.episodes_per_trial, fresh.episodes_per_trial);
    compare("--score-episodes", old.score_episodes, fresh.score_episodes);
    compare("--rho", old.optimiser.rho, fresh.optimiser.rho);
    compare("--kappa", old.optimiser.kappa, fresh.optimiser.kappa);
    compare("--noise-variance", old.optimiser.noise_variance, fresh.optimiser.noise_variance);
    compare("--acquisition", name_of(old.optimiser.acquisition),
            name_of(fresh.optimiser.acquisition));
    compare("--alpha", old.optimiser.alpha.value_or(0), fresh.optimiser.alpha.value_or(0));
    if (!differences.empty()) {
        throw FileError{fmt::format("{} holds results of another adaptation", path.string()),
                        fmt::format("{}", fmt::join(differences, "; ")),
                        "give another file with --out, or remove this one"};
    }
}

void write_text(fs::path const& path, std::string const& text)
{
    auto const temporary = fs::path{path}.concat(".new");
    std::ofstream file{temporary};
    file << text;
    file.close();
    std::error_code error;
    if (file) {
        fs::rename(temporary, path, error);
    }
    if (!file || error) {
        throw Error{ExitCode::failure, fmt::format("{} cannot be written", path.string()),
                    error ? error.message() : "the disk is full or the folder read-only",
                    "make room and run the same command again"};
    }
}

}  // namespace

RecoveryBook::RecoveryBook(fs::path path, RecoveryDocument begun, std::vector<std::string> damages,
                           std::int64_t seeds)
    : path_{std::move(path)},
      document_{std::move(begun)},
      damages_{std::move(damages)},
      seeds_{seeds},
      seconds_before_{0}
{
    if (fs::exists(path_)) {
        auto stored = read_recoveries(path_);
        check_same(path_, stored, document_);
        document_.results = std::move(stored.results);
        document_.run.restarts = stored.run.restarts + 1;
        seconds_before_ = stored.run.wall_seconds;
    } else if (path_.has_parent_path() && !fs::is_directory(path_.parent_path())) {
        throw FileError{fmt::format("{} cannot be written", path_.string()),
                        "its folder does not exist", "make the folder or name another --out"};
    }
}

std::vector<DamageJob> RecoveryBook::jobs() const
{
    std::set<std::pair<std::string, std::int64_t>> done;
    for (auto const& result : document_.results) {
        done.emplace(result.damage, result.seed);
    }
    std::vector<DamageJob> jobs;
    for (std::size_t i = 0; i < damages_.size(); ++i) {
        auto const& damage = damages_[i];
        DamageJob job{damage, static_cast<std::int32_t>(i + 1), {}};
        for (std::int64_t seed = 0; seed < seeds_; ++seed) {
            if (!done.contains({damage, seed})) {
                job.seeds.push_back(seed);
            }
        }
        if (!job.seeds.empty()) {
            jobs.push_back(std::move(job));
        }
    }
    return jobs;
}

void RecoveryBook::add(std::vector<RecoveryResult> const& results)
{
    auto& all = document_.results;
    all.insert(all.end(), results.begin(), results.end());
    auto const place = [&](RecoveryResult const& result) {
        return std::ranges::find(damages_, result.damage) - damages_.begin();
    };
    std::ranges::stable_sort(all, {}, [&](RecoveryResult const& result) {
        return std::tuple{place(result), place(result) < damages() ? result.seed : 0};
    });
    save();
}

std::vector<RecoveryResult> RecoveryBook::results() const
{
    auto results = document_.results;
    std::erase_if(results, [&](RecoveryResult const& result) {
        return result.seed >= seeds_
               || std::ranges::find(damages_, result.damage) == damages_.end();
    });
    return results;
}

std::int64_t RecoveryBook::damages_done() const
{
    return damages() - std::ssize(jobs());
}

fs::path RecoveryBook::csv_path() const
{
    return fs::path{path_}.replace_extension(".csv");
}

void RecoveryBook::save()
{
    document_.run.wall_seconds = seconds_before_ + since_start_.seconds();
    write_recoveries(path_, document_);
    write_text(csv_path(), recovery_csv(document_.results));
}

}  // namespace mees
