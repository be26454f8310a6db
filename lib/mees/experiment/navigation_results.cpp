#include "mees/experiment/navigation_results.hpp"

#include "mees/experiment/setting_changes.hpp"
#include "mees/report/navigation_table.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace mees {
namespace {

namespace fs = std::filesystem;

/// Throws FileError unless both have what results in one file must share.
void check_same_walks(fs::path const& path, NavigationDocument const& stored,
                      NavigationDocument const& fresh)
{
    SettingChanges changes;
    auto const& before = stored.settings;
    auto const& now = fresh.settings;
    changes.compare("the map's SHA-256", stored.map_sha256, fresh.map_sha256);
    changes.compare("the model's SHA-256", stored.run.model_sha256, fresh.run.model_sha256);
    if (stored.least_fitness) {
        changes.compare("--min-fitness", *stored.least_fitness, fresh.least_fitness.value());
    }
    changes.compare("--iterations", before.planner.iterations, now.planner.iterations);
    changes.compare("--trees", before.planner.trees, now.planner.trees);
    changes.compare("--candidates", before.planner.candidates, now.planner.candidates);
    changes.compare("--depth", before.planner.depth, now.planner.depth);
    changes.compare("--exploration", before.planner.exploration, now.planner.exploration);
    changes.compare("--curiosity", before.planner.curiosity, now.planner.curiosity);
    changes.compare("--discount", before.planner.discount, now.planner.discount);
    changes.compare("--variance", before.model.variance, now.model.variance);
    changes.compare("--elite-variance", before.model.elite_variance, now.model.elite_variance);
    changes.compare("--length-scale", before.model.length_scale, now.model.length_scale);
    changes.compare("--noise-variance", before.model.noise_variance, now.model.noise_variance);
    changes.compare("--max-actions", before.max_actions, now.max_actions);
    changes.compare("--rest", before.rest_seconds, now.rest_seconds);
    if (stored.course.arena != fresh.course.arena) {
        changes.add("the arena is another one");
    }
    if (stored.course.targets != fresh.course.targets) {
        changes.add("the targets are others");
    }
    changes.refuse_any(path, "contains results of another navigation",
                       "Choose another file with --out, remove this one, or use --force.");
}

}  // namespace

NavigationResults::NavigationResults(fs::path path, NavigationDocument fresh,
                                     std::vector<std::string> damages, std::int64_t seeds,
                                     Existing existing)
    : path_{std::move(path)},
      document_{std::move(fresh)},
      damages_{std::move(damages)},
      seeds_{seeds}
{
    if (!fs::exists(path_)) {
        require_output(csv_path(), existing);
        return;
    }
    try {
        auto stored = read_navigation(path_);
        check_same_walks(path_, stored, document_);
        document_.results = std::move(stored.results);
        document_.run.restarts = stored.run.restarts + 1;
        seconds_before_ = stored.run.wall_seconds;
    } catch (FileError const&) {
        if (existing == Existing::keep) {
            throw;
        }
    }
}

std::vector<NavigationJob> NavigationResults::jobs() const
{
    std::set<std::pair<std::string, std::int64_t>> done;
    for (auto const& result : document_.results) {
        if (result.learning == document_.settings.learning) {
            done.emplace(result.damage, result.seed);
        }
    }
    std::vector<NavigationJob> jobs;
    for (std::size_t i = 0; i < damages_.size(); ++i) {
        for (std::int64_t seed = 0; seed < seeds_; ++seed) {
            if (!done.contains({damages_[i], seed})) {
                jobs.push_back({damages_[i], seed, static_cast<std::int32_t>(i)});
            }
        }
    }
    return jobs;
}

void NavigationResults::add(std::vector<NavigationResult> const& results)
{
    auto& all = document_.results;
    all.insert(all.end(), results.begin(), results.end());
    std::ranges::stable_sort(all, {}, [&](NavigationResult const& result) {
        auto const place = std::ranges::find(damages_, result.damage) - damages_.begin();
        bool const requested = place < std::ssize(damages_);
        return std::tuple{place, requested && !result.learning, requested ? result.seed : 0};
    });
    document_.run.wall_seconds = seconds_before_ + since_start_.seconds();
    write_navigation(path_, document_);
    write_file(csv_path(), navigation_csv(document_.results));
}

fs::path NavigationResults::csv_path() const
{
    return fs::path{path_}.replace_extension(".csv");
}

}  // namespace mees
