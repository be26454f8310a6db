#include "mees/programs/detail/outside_trials.hpp"

#include "mees/adaptation/ensemble_optimiser.hpp"
#include "mees/core/atomic_file.hpp"
#include "mees/core/output.hpp"
#include "mees/core/sha256.hpp"
#include "mees/core/text.hpp"
#include "mees/experiment/map_fit.hpp"
#include "mees/experiment/setting_changes.hpp"
#include "mees/inspection/commands.hpp"
#include "mees/storage/checkpoint/folder_lock.hpp"
#include "mees/storage/checkpoint/newest_map.hpp"
#include "mees/storage/map/file.hpp"
#include "mees/storage/map/lookup.hpp"
#include "mees/storage/recovery_file.hpp"
#include "mees/storage/trial_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace mees {
namespace {

namespace fs = std::filesystem;

/// The maps of the command line, which must be of the same robot and BC.
struct PriorMaps {
    std::vector<fs::path> paths;
    std::vector<std::unique_ptr<MapReader>> readers;
    std::vector<std::string> sha256;
};

void require_same_task(MapReader const& first, MapReader const& other)
{
    auto const ends = [](MapReader const& map) {
        return std::pair{map.network().inputs(), map.network().outputs()};
    };
    if (first.bc_names() != other.bc_names() || first.space().lower() != other.space().lower()
        || first.space().upper() != other.space().upper() || ends(first) != ends(other)) {
        throw FileError{fmt::format("{} cannot be a prior together with {}",
                                    other.file().path().string(), first.file().path().string()),
                        "their BC, its bounds, or the controllers' inputs and outputs differ",
                        "Give maps of one robot with the same BC."};
    }
}

PriorMaps open_maps(AdaptOptions const& options)
{
    PriorMaps maps;
    maps.paths = {options.map};
    maps.paths.insert(maps.paths.end(), options.priors.begin(), options.priors.end());
    for (auto const& path : maps.paths) {
        warn_of_newer_changes(path);
        maps.readers.push_back(std::make_unique<MapReader>(path));
        maps.sha256.push_back(sha256_of_file(path));
        require_same_task(*maps.readers.front(), *maps.readers.back());
    }
    return maps;
}

/// Throws FileError for a value of the command line that is not the one in the
/// file.
void require_same_settings(fs::path const& path, MapOptimiserSettings const& stored,
                           AdaptOptions const& options)
{
    auto const& given = options.settings.optimiser;
    SettingChanges changes;
    auto const compare = [&](char const* name, auto const& before, auto const& now) {
        if (std::ranges::find(options.given, name) != options.given.end()) {
            changes.compare(name, before, now);
        }
    };
    compare("--rho", stored.rho, given.rho);
    compare("--kappa", stored.kappa, given.kappa);
    compare("--noise-variance", stored.noise_variance, given.noise_variance);
    compare("--acquisition", name_of(stored.acquisition), name_of(given.acquisition));
    compare("--alpha", stored.alpha.value_or(0), given.alpha.value_or(0));
    changes.refuse_any(path, "contains trials with other settings",
                       "Leave these options out, or choose another file with --out.");
}

TrialDocument open_document(PriorMaps const& maps, AdaptOptions const& options)
{
    if (!fs::exists(options.out)) {
        TrialDocument document;
        document.run = maps.readers.front()->run();
        set_versions(document.run);
        document.run.wall_seconds = 0;
        document.run.restarts = 0;
        document.generation = maps.readers.front()->generation();
        document.map_sha256 = maps.sha256;
        document.settings = options.settings.optimiser;
        return document;
    }
    auto document = read_trials(options.out);
    if (document.map_sha256 != maps.sha256) {
        throw FileError{fmt::format("{} contains trials with other maps", options.out.string()),
                        "the SHA-256 of the map, or of a --prior, differs",
                        "Give the same maps in the same order, or another file with --out."};
    }
    require_same_settings(options.out, document.settings, options);
    if (std::ranges::find(options.given, "--trials") != options.given.end()) {
        document.settings.trials = options.settings.optimiser.trials;
    }
    return document;
}

EnsembleOptimiser optimiser_of(PriorMaps const& maps, TrialDocument const& document)
{
    std::vector<MapPrior> priors;
    for (auto const& reader : maps.readers) {
        priors.push_back(prior_of(elites_without_controllers(*reader)));
    }
    for (auto const& trial : document.trials) {
        auto const& cells = priors[static_cast<std::size_t>(trial.tried.map)].cells;
        if (!std::ranges::binary_search(cells, trial.tried.cell)) {
            throw FileError{"cannot continue the trials", "a trial is of an empty cell",
                            "Choose another file with --out."};
        }
    }
    EnsembleOptimiser optimiser{std::move(priors), document.settings};
    for (auto const& trial : document.trials) {
        optimiser.tell(trial);
    }
    return optimiser;
}

/// Why no further trial is needed, or null, as JSON.
std::string stop_reason(EnsembleOptimiser const& optimiser, MapOptimiserSettings const& settings)
{
    if (!optimiser.finished()) {
        return "null";
    }
    return std::ssize(optimiser.trials()) >= settings.trials ? "\"trials\"" : "\"alpha\"";
}

[[noreturn]] void refuse_untried(std::vector<EnsembleTrial> const& trials)
{
    throw ConfigError{
        "cannot record the value of --tell",
        trials.empty()
            ? std::string{"no trial has been asked for"}
            : fmt::format("no trial has been asked for since trial {}, whose recorded value is {}",
                          trials.size(), trials.back().fitness),
        "Run mees_adapt --ask first."};
}

/// --trial must be the trial that has been asked for and has no value yet.
void require_pending(std::vector<EnsembleTrial> const& trials, std::int64_t number)
{
    auto const pending = std::ssize(trials) + 1;
    if (number == pending) {
        return;
    }
    auto const recorded = number < pending
                              ? fmt::format("its recorded value is {}; ",
                                            trials[static_cast<std::size_t>(number - 1)].fitness)
                              : std::string{};
    throw ConfigError{fmt::format("invalid --trial {}", number),
                      fmt::format("{}the trial without a value is {}", recorded, pending),
                      "Run mees_adapt --ask to see that trial."};
}

/// A call that tells and asks can be repeated because its output was lost, and then has the value
/// of the last trial. Only --trial shows that it is for another one.
void require_no_repetition(std::vector<EnsembleTrial> const& trials, double value)
{
    if (trials.empty() || trials.back().fitness != value) {
        return;
    }
    throw ConfigError{
        fmt::format("cannot record --tell {} with --ask and without --trial", value),
        fmt::format("it is the value of trial {} too, so that the call may be a repetition",
                    trials.size()),
        fmt::format("Run mees_adapt --ask to see the trial without a value; if {} was measured in "
                    "it, add --trial {}.",
                    value, trials.size() + 1)};
}

void tell(TrialDocument& document, EnsembleOptimiser& optimiser, AdaptOptions const& options)
{
    if (!document.asked) {
        refuse_untried(document.trials);
    }
    if (options.trial) {
        require_pending(document.trials, *options.trial);
    } else if (options.ask) {
        require_no_repetition(document.trials, *options.tell);
    }
    document.trials.push_back({*document.asked, *options.tell});
    document.asked.reset();
    optimiser.tell(document.trials.back());
    if (!std::ranges::all_of(optimiser.log_likelihoods(),
                             [](double value) { return std::isfinite(value); })) {
        throw ConfigError{fmt::format("invalid --tell {}", *options.tell),
                          "it is so far from the map's fitness that no model can be fitted",
                          "Give the fitness that was measured, such as --tell 312.5."};
    }
    write_trials(options.out, document);
}

/// Where the controllers of trials are written.
fs::path onnx_path(AdaptOptions const& options, PriorMaps const& maps, Proposal const& proposal)
{
    auto folder = options.out.parent_path() / (options.out.stem().string() + "_controllers");
    make_folder(folder);
    auto const name = maps.paths.size() == 1 ? fmt::format("cell_{:06}.onnx", proposal.cell.value())
                                             : fmt::format("map_{}_cell_{:06}.onnx", proposal.map,
                                                           proposal.cell.value());
    return fs::absolute(folder / name);
}

/// The file to run; of a chain those of its links.
std::string controller_json(std::vector<fs::path> const& files, MapReader const& map)
{
    if (files.size() == 1) {
        return fmt::format("\"onnx\": {}", json_string(files.front().string()));
    }
    std::vector<std::string> links;
    for (auto const& file : files) {
        links.push_back(json_string(file.string()));
    }
    return fmt::format("\"onnx\": null, \"links\": [{}], \"chain_steps\": {}",
                       fmt::join(links, ", "), stored_settings(map.run()).algorithm.chain_steps);
}

void ask(TrialDocument& document, EnsembleOptimiser const& optimiser, PriorMaps const& maps,
         AdaptOptions const& options, std::ostream& out)
{
    bool const finished = !document.asked && optimiser.finished();
    auto const proposal = document.asked ? *document.asked
                          : finished     ? optimiser.answer()
                                         : optimiser.ask();
    auto const onnx = onnx_path(options, maps, proposal);
    auto const& reader = *maps.readers[static_cast<std::size_t>(proposal.map)];
    auto const files = inspect::export_onnx(reader, proposal.cell, onnx);
    if (!finished) {
        document.asked = proposal;
    }
    write_trials(options.out, document);
    out << fmt::format(
        "{{\"cell\": {}, \"trial\": {}, \"predicted\": {}, \"variance\": {}, \"finished\": {}, "
        "\"stopped_by\": {}, \"map\": {}, {}, \"log_likelihood\": [{}]}}\n",
        proposal.cell.value(), document.trials.size() + (finished ? 0 : 1), proposal.predicted,
        proposal.variance, finished, finished ? stop_reason(optimiser, document.settings) : "null",
        json_string(maps.paths[static_cast<std::size_t>(proposal.map)].string()),
        controller_json(files, reader), fmt::join(optimiser.log_likelihoods(), ", "));
}

}  // namespace

void run_outside_trials(AdaptOptions const& options, std::ostream& out)
{
    auto const maps = open_maps(options);
    for (auto const& path : maps.paths) {
        require_output(options.out, Existing::replace, path);
    }
    if (options.tell && !fs::exists(options.out)) {
        refuse_untried({});
    }
    auto const lock = FolderLock::of_file(options.out);
    auto document = open_document(maps, options);
    auto optimiser = optimiser_of(maps, document);
    if (options.tell) {
        tell(document, optimiser, options);
    }
    if (options.ask) {
        if (options.tell) {
            write_stderr(fmt::format("mees_adapt: recorded {} for trial {}\n", *options.tell,
                                     document.trials.size()));
        }
        return ask(document, optimiser, maps, options, out);
    }
    auto const& last = document.trials.back();
    out << fmt::format(
        "{{\"cell\": {}, \"trial\": {}, \"fitness\": {}, \"finished\": {}, \"stopped_by\": {}}}\n",
        last.tried.cell.value(), document.trials.size(), last.fitness, optimiser.finished(),
        stop_reason(optimiser, document.settings));
}

}  // namespace mees
