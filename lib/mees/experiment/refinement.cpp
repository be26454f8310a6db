#include "mees/experiment/refinement.hpp"

#include "mees/core/error.hpp"
#include "mees/core/log.hpp"
#include "mees/core/text.hpp"
#include "mees/experiment/setting_changes.hpp"
#include "mees/storage/map/file.hpp"
#include "mees/storage/map/lookup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace mees {
namespace {

constexpr std::int64_t most_targets = 1'000'000;

std::vector<CellId> named_cells(EliteMap const& map, std::string_view choice)
{
    auto cells = parse_cell_list(choice);
    if (!cells) {
        throw ConfigError{fmt::format("invalid --cells {}", escaped(choice.substr(0, 80))),
                          "expected empty, filled, all, or ids of cells separated by commas",
                          "Write it like --cells empty or --cells 12,407."};
    }
    std::ranges::sort(*cells);
    cells->erase(std::unique(cells->begin(), cells->end()), cells->end());
    if (cells->back().value() >= map.space().cells()) {
        throw FileError{fmt::format("cannot refine cell {}", cells->back().value()),
                        fmt::format("the map has the cells 0 to {}", map.space().cells() - 1),
                        "Choose cells of the map."};
    }
    return std::move(*cells);
}

SettingChanges changes_of(Refinement const& before, Refinement const& now)
{
    SettingChanges changes;
    changes.compare("the map's SHA-256", before.map_sha256, now.map_sha256);
    changes.compare("--seed", before.seed, now.seed);
    changes.compare("--episodes", before.n_eval, now.n_eval);
    changes.compare("--population", before.population, now.population);
    changes.compare("--sigma", before.sigma, now.sigma);
    changes.compare("--learning-rate", before.learning_rate, now.learning_rate);
    changes.compare("--steps", before.settings.steps, now.settings.steps);
    changes.compare("--evaluate-every", before.settings.evaluate_every,
                    now.settings.evaluate_every);
    changes.compare("--cells-at-once", before.settings.cells_at_once, now.settings.cells_at_once);
    if (!std::ranges::equal(before.progress.targets, now.progress.targets, {},
                            &RefinementTarget::cell, &RefinementTarget::cell)) {
        changes.add("--cells are others");
    }
    return changes;
}

constexpr char const* not_this_refinement = "exists and is not this refinement";
constexpr char const* use_another_file =
    "Choose another file with --out, remove this one, or use --force.";

MapDocument read_existing(std::filesystem::path const& file)
{
    try {
        return read_map(file);
    } catch (FileError const& error) {
        throw FileError{fmt::format("{} {}", file.string(), not_this_refinement), error.what(),
                        use_another_file};
    }
}

/// Throws FileError unless `stored` can continue as `fresh`.
void require_same(std::filesystem::path const& file, MapDocument const& stored,
                  MapDocument const& fresh)
{
    SettingChanges changes;
    if (stored.refinement) {
        changes = changes_of(*stored.refinement, *fresh.refinement);
    } else {
        changes.add("mees_refine did not write it");
    }
    changes.refuse_any(file, not_this_refinement, use_another_file);
}

}  // namespace

std::vector<CellId> choose_targets(EliteMap const& map, std::string_view choice)
{
    bool const empty = choice == "empty" || choice == "all";
    bool const filled = choice == "filled" || choice == "all";
    if (!empty && !filled) {
        return named_cells(map, choice);
    }
    auto const count =
        (empty ? map.space().cells() - map.filled() : 0) + (filled ? map.filled() : 0);
    if (count == 0) {
        throw FileError{fmt::format("cannot refine cells of this map with --cells {}", choice),
                        fmt::format("the map has no {} cells", choice),
                        "Use --cells all, or name cells."};
    }
    if (count > most_targets) {
        throw ConfigError{fmt::format("invalid --cells {}", choice),
                          fmt::format("these are {} cells, and at most {} can be refined at once",
                                      count, most_targets),
                          "Name cells, such as --cells 12,407."};
    }
    std::vector<CellId> cells;
    auto next = map.elites().begin();
    auto const last = empty ? map.space().cells() : 0;
    for (CellId cell{0}; cell.value() < last; ++cell) {
        bool const has_elite = next != map.elites().end() && next->first == cell;
        next = has_elite ? std::next(next) : next;
        if (!has_elite || filled) {
            cells.push_back(cell);
        }
    }
    if (!empty) {
        for (auto const& [cell, elite] : map.elites()) {
            cells.push_back(cell);
        }
    }
    return cells;
}

std::int64_t refinement_episodes(SearchProblem const& problem, RefinementSettings const& settings,
                                 std::int64_t cells)
{
    auto const& es = problem.settings.es;
    return cells
           * (settings.steps * es.population * es.episodes_per_offspring
              + settings.evaluations() * problem.settings.algorithm.n_eval);
}

MapDocument resume_refinement(std::filesystem::path const& file, MapDocument fresh,
                              Existing existing)
{
    if (!std::filesystem::exists(file)) {
        return fresh;
    }
    try {
        auto stored = read_existing(file);
        require_same(file, stored, fresh);
        ++stored.run.restarts;
        return stored;
    } catch (FileError const&) {
        if (existing == Existing::keep) {
            throw;
        }
    }
    return fresh;
}

RefinementRun::RefinementRun(MapDocument document, SearchProblemPtr problem,
                             std::filesystem::path file, double seconds_between_saves,
                             FolderLock const& lock)
    : frame_{std::move(document)},
      refiner_{std::move(problem), frame_.refinement.value().settings, frame_.state,
               frame_.refinement->progress},
      file_{std::move(file)},
      seconds_between_saves_{seconds_between_saves},
      lock_{lock}
{
}

void RefinementRun::go(Evaluator& evaluator, NoiseSource& noise, StopToken& stop, Done const& done)
{
    constexpr double saves_to_reserve = 3;
    stop.reserve([this] { return saves_to_reserve * longest_save_; });
    try {
        loop(evaluator, noise, stop, done);
    } catch (FolderLost const&) {
        throw;
    } catch (...) {
        if (changed_) {
            save();
        }
        throw;
    }
    if (changed_ || !std::filesystem::exists(file_)) {
        save();
    }
}

void RefinementRun::loop(Evaluator& evaluator, NoiseSource& noise, StopToken& stop,
                         Done const& done)
{
    while (!finished() && !stop.requested()) {
        auto const batch = refiner_.ask();
        auto const result = evaluator.evaluate(batch, stop);
        if (!result) {
            return;
        }
        auto const wave = refiner_.progress().wave;
        std::vector<std::int64_t> targets;
        std::ranges::transform(refiner_.progress().pursuers, std::back_inserter(targets),
                               &Pursuer::target);
        refiner_.tell(batch, *result, noise);
        changed_ = true;
        if (refiner_.progress().wave != wave) {
            for (auto const target : targets) {
                done(refiner_.progress().targets[static_cast<std::size_t>(target)]);
            }
        }
        if (!finished() && since_save_.seconds() >= seconds_between_saves_) {
            try {
                save();
            } catch (WriteError const& error) {
                log::warning("{} The refinement continues.", error.what());
            }
            since_save_.restart();
        }
    }
}

MapDocument RefinementRun::document() const
{
    auto document = frame_;
    document.state = refiner_.state();
    describe_map_in_last_record(document.state, document.qd_offset);
    document.refinement->progress = refiner_.progress();
    document.run.wall_seconds += since_start_.seconds();
    return document;
}

void RefinementRun::save()
{
    Stopwatch const saving;
    lock_.require_in_place();
    AtomicFile file{file_};
    write_map(file.temporary(), document());
    file.commit(Existing::replace);
    longest_save_ = std::max(longest_save_, saving.seconds());
    changed_ = false;
}

}  // namespace mees
