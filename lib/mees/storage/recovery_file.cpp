#include "mees/storage/recovery_file.hpp"

#include "mees/core/atomic_file.hpp"
#include "mees/storage/detail/run_attributes.hpp"
#include "mees/storage/hdf5/detail/digest.hpp"

#include <fmt/format.h>

#include <set>

namespace mees {
namespace {

using hdf5::Reader;
using hdf5::Writer;
using layout::AttributeReader;
using layout::AttributeWriter;
using layout::ColumnReader;
using layout::ColumnWriter;

constexpr FileKind kind{recovery_filetype, recovery_format_version, "an adapt.h5"};

constexpr char const* trial_counts = "/results/trials";

/// The share of the final score that /results/trials_to_90 counts the trials to.
constexpr double share_of_final = 0.9;

/// A damage as the name of a group, which must not contain a slash.
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

/// The settings, but for the acquisition's name and alpha, which 0 means to be absent.
template <class Attributes, class Settings>
void settings_attributes(Attributes const& attributes, Settings& settings)
{
    auto& optimiser = settings.optimiser;
    attributes("rho", optimiser.rho);
    attributes("kappa", optimiser.kappa);
    attributes("noise_variance", optimiser.noise_variance);
    attributes("trials", optimiser.trials, layout::any_integer);
    attributes("episodes_per_trial", settings.episodes_per_trial, layout::any_integer);
    attributes("score_episodes", settings.score_episodes, layout::any_integer);
}

template <class Table>
void result_columns(Table const& table)
{
    using R = RecoveryResult;
    table.column("/results/damage", &R::damage);
    table.column("/results/seed", &R::seed);
    table.column(
        "/results/pre", [](auto& r) -> auto& { return r.before.mean; });
    table.column(
        "/results/pre_se", [](auto& r) -> auto& { return r.before.standard_error; });
    table.column(
        "/results/post", [](auto& r) -> auto& { return r.after.mean; });
    table.column(
        "/results/post_se", [](auto& r) -> auto& { return r.after.standard_error; });
    table.computed_column(trial_counts, [](auto& r) { return std::int64_t{std::ssize(r.trials)}; });
    table.computed_column("/results/trials_to_90",
                          [](auto& r) { return trials_to_reach(r, share_of_final); });
    table.column("/results/best_cell", &R::best_cell);
    table.column("/results/answer_cell", &R::answer_cell);
    table.column("/results/episodes", &R::episodes);
    table.column("/results/steps", &R::steps);
}

template <class Table>
void trial_columns(Table const& table, std::string const& group)
{
    table.column(group + "/cell", &MapTrial::cell);
    table.column(group + "/predicted", &MapTrial::predicted);
    table.column(group + "/variance", &MapTrial::variance);
    table.column(group + "/fitness", &MapTrial::fitness);
}

void write_settings(Writer& file, RecoverySettings const& settings)
{
    settings_attributes(AttributeWriter{file, "/"}, settings);
    file.attribute("/", "acquisition", std::string_view{name_of(settings.optimiser.acquisition)});
    file.attribute("/", "alpha", settings.optimiser.alpha.value_or(0));
}

RecoverySettings read_settings(Reader const& file)
{
    RecoverySettings settings;
    settings_attributes(AttributeReader{file, "/"}, settings);
    auto const acquisition = file.text("/", "acquisition");
    require(file, acquisition == "variance" || acquisition == "std",
            "/@acquisition is neither variance nor std");
    settings.optimiser.acquisition =
        acquisition == "std" ? Acquisition::std : Acquisition::variance;
    if (double const alpha = file.real("/", "alpha"); alpha != 0) {
        settings.optimiser.alpha = alpha;
    }
    return settings;
}

void write_results(Writer& file, std::vector<RecoveryResult> const& results)
{
    result_columns(ColumnWriter{file, results});
    std::set<std::string> made;
    for (auto const& result : results) {
        if (auto const damage = group_name(result.damage); made.insert(damage).second) {
            file.group(damage);
        }
        auto const group = trials_group(result);
        file.group(group);
        trial_columns(ColumnWriter{file, result.trials}, group);
    }
}

std::vector<RecoveryResult> read_results(Reader const& file)
{
    auto const counts = file.values<std::int64_t>(trial_counts);
    std::vector<RecoveryResult> results(counts.size());
    result_columns(ColumnReader{file, std::span{results}});
    for (std::size_t i = 0; i < counts.size(); ++i) {
        auto const group = trials_group(results[i]);
        // Before memory is taken: the count must be that of the stored values.
        static_cast<void>(file.values<std::int64_t>(group + "/cell", {counts[i]}));
        results[i].trials.resize(static_cast<std::size_t>(counts[i]));
        trial_columns(ColumnReader{file, std::span{results[i].trials}}, group);
    }
    return results;
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
    if (document.intact) {
        file.attribute("/", "intact", document.intact->mean);
        file.attribute("/", "intact_se", document.intact->standard_error);
    }
    file.group("/results");
    file.group("/damage");
    write_results(file, document.results);
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
    require_intact(file);
    RecoveryDocument document;
    document.run = read_run_attributes(file);
    document.generation = Generation{file.integer("/", "generation")};
    document.map_sha256 = file.text("/", "map_sha256");
    document.settings = read_settings(file);
    if (file.has_attribute("/", "intact")) {
        document.intact = Score{file.real("/", "intact"), file.real("/", "intact_se")};
    }
    document.results = read_results(file);
    return document;
}

}  // namespace mees
