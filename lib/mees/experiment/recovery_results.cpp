#include "mees/experiment/recovery_results.hpp"

#include "mees/core/atomic_file.hpp"
#include "mees/experiment/setting_changes.hpp"
#include "mees/report/recovery_table.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace mees {
namespace {

namespace fs = std::filesystem;

/// Throws FileError unless both have the map, model and settings that results in one file must
/// share.
void check_same(fs::path const& path, RecoveryDocument const& stored, RecoveryDocument const& fresh)
{
    SettingChanges changes;
    auto const& before = stored.settings;
    auto const& now = fresh.settings;
    changes.compare("the map's SHA-256", stored.map_sha256, fresh.map_sha256);
    changes.compare("the model's SHA-256", stored.run.model_sha256, fresh.run.model_sha256);
    changes.compare("--trials", before.optimiser.trials, now.optimiser.trials);
    changes.compare("--episodes-per-trial", before.episodes_per_trial, now.episodes_per_trial);
    changes.compare("--score-episodes", before.score_episodes, now.score_episodes);
    changes.compare("--rho", before.optimiser.rho, now.optimiser.rho);
    changes.compare("--kappa", before.optimiser.kappa, now.optimiser.kappa);
    changes.compare("--noise-variance", before.optimiser.noise_variance,
                    now.optimiser.noise_variance);
    changes.compare("--acquisition", name_of(before.optimiser.acquisition),
                    name_of(now.optimiser.acquisition));
    changes.compare("--alpha", before.optimiser.alpha.value_or(0), now.optimiser.alpha.value_or(0));
    changes.refuse_any(path, "contains results of another adaptation",
                       "Choose another file with --out, remove this one, or use --force.");
}

}  // namespace

RecoveryResults::RecoveryResults(fs::path path, RecoveryDocument fresh,
                                 std::vector<std::string> damages, std::int64_t seeds,
                                 Existing existing)
    : path_{std::move(path)},
      document_{std::move(fresh)},
      damages_{std::move(damages)},
      seeds_{seeds},
      seconds_before_{0}
{
    if (!fs::exists(path_)) {
        require_output(csv_path(), existing);
        return;
    }
    try {
        auto stored = read_recoveries(path_);
        check_same(path_, stored, document_);
        resume_from(std::move(stored));
    } catch (FileError const&) {
        if (existing == Existing::keep) {
            throw;
        }
    }
}

void RecoveryResults::resume_from(RecoveryDocument stored)
{
    document_.results = std::move(stored.results);
    document_.run.restarts = stored.run.restarts + 1;
    seconds_before_ = stored.run.wall_seconds;
}

std::vector<DamageJob> RecoveryResults::jobs() const
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

void RecoveryResults::add(std::vector<RecoveryResult> const& results)
{
    auto& all = document_.results;
    all.insert(all.end(), results.begin(), results.end());
    auto const place = [&](RecoveryResult const& result) {
        return std::ranges::find(damages_, result.damage) - damages_.begin();
    };
    std::ranges::stable_sort(all, {}, [&](RecoveryResult const& result) {
        return std::tuple{place(result), place(result) < damages() ? result.seed : 0};
    });
    document_.run.wall_seconds = seconds_before_ + since_start_.seconds();
    write_recoveries(path_, document_);
    write_file(csv_path(), recovery_csv(document_.results));
}

std::vector<RecoveryResult> RecoveryResults::results() const
{
    auto results = document_.results;
    std::erase_if(results, [&](RecoveryResult const& result) {
        return result.seed >= seeds_
               || std::ranges::find(damages_, result.damage) == damages_.end();
    });
    return results;
}

std::int64_t RecoveryResults::damages_done() const
{
    return damages() - std::ssize(jobs());
}

fs::path RecoveryResults::csv_path() const
{
    return fs::path{path_}.replace_extension(".csv");
}

}  // namespace mees
