#include "mees/storage/recovery_file.hpp"

#include "mees/core/atomic_file.hpp"
#include "mees/storage/detail/checks.hpp"
#include "mees/storage/map/detail/layout.hpp"
#include "mees/storage/verify.hpp"

#include <fmt/format.h>

#include <set>

namespace mees {
namespace {

using hdf5::Reader;
using hdf5::Writer;

constexpr FileKind kind{recovery_filetype, recovery_format_version, "an adapt.h5"};

/// The share of the final score that /results/trials_to_90 tells of.
constexpr double share_of_final = 0.9;

/// A damage as the name of a group, which must hold no slash.
std::string group_name(std::string const& damage)
{
    std::string name;
    for (char const letter : damage) {
        if (letter == '/' || letter == '%') {
            name += fmt::format("%{:02X}", static_cast<unsigned>(letter));
        } else {
            name += letter;
        }
    }
    return "/damage/" + name;
}

std::string trials_group(RecoveryResult const& result)
{
    return fmt::format("{}/seed_{}", group_name(result.damage), result.seed);
}

template <class Value, class Records, class Get>
void column(Writer& file, std::string const& path, Records const& records, Get const& get)
{
    std::vector<Value> values;
    for (auto const& record : records) {
        values.push_back(get(record));
    }
    file.dataset(path, values);
}

void write_settings(Writer& file, RecoverySettings const& settings)
{
    auto const& optimiser = settings.optimiser;
    file.attribute("/", "rho", optimiser.rho);
    file.attribute("/", "kappa", optimiser.kappa);
    file.attribute("/", "noise_variance", optimiser.noise_variance);
    file.attribute("/", "acquisition", std::string_view{name_of(optimiser.acquisition)});
    file.attribute("/", "alpha", optimiser.alpha.value_or(0));
    file.attribute("/", "trials", optimiser.trials);
    file.attribute("/", "episodes_per_trial", settings.episodes_per_trial);
    file.attribute("/", "score_episodes", settings.score_episodes);
}

RecoverySettings read_settings(Reader const& file)
{
    RecoverySettings settings;
    auto& optimiser = settings.optimiser;
    optimiser.rho = file.real("/", "rho");
    optimiser.kappa = file.real("/", "kappa");
    optimiser.noise_variance = file.real("/", "noise_variance");
    auto const acquisition = file.text("/", "acquisition");
    require(file, acquisition == "variance" || acquisition == "std",
            "/@acquisition is neither variance nor std");
    optimiser.acquisition = acquisition == "std" ? Acquisition::std : Acquisition::variance;
    if (double const alpha = file.real("/", "alpha"); alpha != 0) {
        optimiser.alpha = alpha;
    }
    optimiser.trials = file.integer("/", "trials");
    settings.episodes_per_trial = file.integer("/", "episodes_per_trial");
    settings.score_episodes = file.integer("/", "score_episodes");
    return settings;
}

using Results = std::vector<RecoveryResult>;

void write_results(Writer& file, Results const& results)
{
    std::vector<std::string> damages;
    for (auto const& result : results) {
        damages.push_back(result.damage);
    }
    auto const integers = [&](char const* path, auto const& get) {
        column<std::int64_t>(file, path, results, get);
    };
    auto const reals = [&](char const* path, auto const& get) {
        column<double>(file, path, results, get);
    };
    file.dataset("/results/damage", damages);
    integers("/results/seed", [](auto const& r) { return r.seed; });
    reals("/results/pre", [](auto const& r) { return r.before.mean; });
    reals("/results/pre_se", [](auto const& r) { return r.before.standard_error; });
    reals("/results/post", [](auto const& r) { return r.after.mean; });
    reals("/results/post_se", [](auto const& r) { return r.after.standard_error; });
    integers("/results/trials", [](auto const& r) { return std::ssize(r.trials); });
    integers("/results/trials_to_90", [](auto const& r) {
        return trials_to_reach(r, share_of_final).value_or(layout::none);
    });
    integers("/results/best_cell", [](auto const& r) { return r.best_cell.value(); });
    integers("/results/answer_cell", [](auto const& r) { return r.answer_cell.value(); });
    integers("/results/episodes", [](auto const& r) { return r.episodes; });
    integers("/results/steps", [](auto const& r) { return r.steps; });
}

Results read_results(Reader const& file)
{
    auto const damages = file.texts("/results/damage");
    auto const rows = std::ssize(damages);
    auto const integers = [&](std::string const& path) {
        auto values = file.values<std::int64_t>(path, {rows});
        require_range(file, path, values, 0, most);
        return values;
    };
    auto const reals = [&](std::string const& path) {
        auto values = file.values<double>(path, {rows});
        require_finite(file, path, values);
        return values;
    };
    auto const seed = integers("/results/seed");
    auto const before = reals("/results/pre");
    auto const before_error = reals("/results/pre_se");
    auto const after = reals("/results/post");
    auto const after_error = reals("/results/post_se");
    auto const best = integers("/results/best_cell");
    auto const answer = integers("/results/answer_cell");
    auto const episodes = integers("/results/episodes");
    auto const steps = integers("/results/steps");
    Results results;
    for (std::size_t i = 0; i < damages.size(); ++i) {
        results.push_back({.damage = damages[i],
                           .seed = seed[i],
                           .best_cell = CellId{best[i]},
                           .answer_cell = CellId{answer[i]},
                           .before = {before[i], before_error[i]},
                           .after = {after[i], after_error[i]},
                           .episodes = episodes[i],
                           .steps = steps[i],
                           .trials = {}});
    }
    return results;
}

void write_trials(Writer& file, Results const& results)
{
    std::set<std::string> made;
    for (auto const& result : results) {
        if (auto const damage = group_name(result.damage); made.insert(damage).second) {
            file.group(damage);
        }
        auto const group = trials_group(result);
        auto const& trials = result.trials;
        file.group(group);
        column<std::int64_t>(file, group + "/cell", trials,
                             [](auto const& trial) { return trial.cell.value(); });
        column<double>(file, group + "/predicted", trials,
                       [](auto const& trial) { return trial.predicted; });
        column<double>(file, group + "/variance", trials,
                       [](auto const& trial) { return trial.variance; });
        column<double>(file, group + "/fitness", trials,
                       [](auto const& trial) { return trial.fitness; });
    }
}

std::vector<MapTrial> read_trials(Reader const& file, std::string const& group, std::int64_t count)
{
    auto const reals = [&](std::string const& path) {
        auto values = file.values<double>(path, {count});
        require_finite(file, path, values);
        return values;
    };
    auto const cell = file.values<std::int64_t>(group + "/cell", {count});
    auto const predicted = reals(group + "/predicted");
    auto const variance = reals(group + "/variance");
    auto const fitness = reals(group + "/fitness");
    require_range(file, group + "/cell", cell, 0, most);
    std::vector<MapTrial> trials;
    for (std::size_t i = 0; i < cell.size(); ++i) {
        trials.push_back({CellId{cell[i]}, predicted[i], variance[i], fitness[i]});
    }
    return trials;
}

void write_content(std::filesystem::path const& path, RecoveryDocument const& document)
{
    RunProgress progress{document.generation};
    for (auto const& result : document.results) {
        progress.episodes += result.episodes;
        progress.steps += result.steps;
    }
    Writer file{path};
    write_run_attributes(file, kind, document.run, progress);
    file.attribute("/", "map_sha256", std::string_view{document.map_sha256});
    write_settings(file, document.settings);
    file.group("/results");
    file.group("/damage");
    write_results(file, document.results);
    write_trials(file, document.results);
    file.finish();
}

}  // namespace

std::string name_of(Acquisition acquisition)
{
    return acquisition == Acquisition::std ? "std" : "variance";
}

void write_recoveries(std::filesystem::path const& path, RecoveryDocument const& document)
{
    AtomicFile file{path};
    write_content(file.temporary(), document);
    file.commit();
}

RecoveryDocument read_recoveries(std::filesystem::path const& path)
{
    Reader const file{path};
    static_cast<void>(read_format_version(file, kind));
    require_whole(file);
    RecoveryDocument document;
    document.run = read_run_attributes(file);
    document.generation = Generation{file.integer("/", "generation")};
    document.map_sha256 = file.text("/", "map_sha256");
    document.settings = read_settings(file);
    document.results = read_results(file);
    auto const counts =
        file.values<std::int64_t>("/results/trials", {std::ssize(document.results)});
    require_range(file, "/results/trials", counts, 0, most);
    for (std::size_t i = 0; i < counts.size(); ++i) {
        auto& result = document.results[i];
        result.trials = read_trials(file, trials_group(result), counts[i]);
    }
    return document;
}

}  // namespace mees
