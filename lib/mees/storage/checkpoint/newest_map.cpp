#include "mees/storage/checkpoint/newest_map.hpp"

#include "mees/core/atomic_file.hpp"
#include "mees/core/error.hpp"
#include "mees/core/log.hpp"
#include "mees/storage/checkpoint/detail/change_files.hpp"
#include "mees/storage/checkpoint/detail/rotation.hpp"
#include "mees/storage/map/file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace mees {
namespace {

namespace fs = std::filesystem;

Generation last_generation(MapDocument const& document)
{
    auto const& history = document.state.history;
    return history.empty() ? Generation{0} : history.back().generation;
}

/// Anything of this name, whatever a link leads to.
bool is_there(fs::path const& path)
{
    std::error_code error;
    return fs::exists(fs::symlink_status(path, error));
}

/// Paths of checkpoints/gen_N.h5 by N, newest first.
std::vector<std::pair<std::int64_t, fs::path>> kept_checkpoints(fs::path const& folder)
{
    constexpr std::string_view prefix = "gen_";
    constexpr std::string_view suffix = ".h5";
    std::vector<std::pair<std::int64_t, fs::path>> kept;
    std::error_code error;
    for (auto const& entry : fs::directory_iterator{folder / kept_folder, error}) {
        auto const name = entry.path().filename().string();
        if (!name.starts_with(prefix) || !name.ends_with(suffix)) {
            continue;
        }
        std::int64_t number = 0;
        auto const* const end = name.data() + name.size() - suffix.size();
        auto const [stop, failure] = std::from_chars(name.data() + prefix.size(), end, number);
        if (failure == std::errc{} && stop == end) {
            kept.emplace_back(number, entry.path());
        }
    }
    std::ranges::sort(kept, std::greater<>{});
    return kept;
}

/// Collects the intact checkpoints of a folder, of which it keeps the newest.
class Search {
  public:
    Search(fs::path const& folder, RunDifferences const& differences, Controllers controllers,
           ParameterStorePtr store)
        : folder_{folder},
          differences_{differences},
          controllers_{controllers},
          store_{std::move(store)},
          changes_{folder}
    {
    }

    /// map.h5 or map.prev.h5. Whose they are is for the caller to check.
    void try_map(CheckpointFile file)
    {
        bool const current = file == CheckpointFile::current;
        auto const path = folder_ / (current ? map_name : previous_map_name);
        if (newest_ || !is_there(path)) {
            return;
        }
        try {
            if (fs::is_symlink(path)) {
                throw FileError{fmt::format("cannot use {}", path.string()),
                                "it is a symbolic link", "Use a copy of the file."};
            }
            MapReader const map{path};
            newest_ = continued(read(map), map, path, file);
        } catch (ForeignFile const&) {
            throw;
        } catch (FileError const& failure) {
            unusable_.emplace_back(failure.what());
            map_is_damaged_ = map_is_damaged_ || current;
        }
    }

    /// A temporary file or a kept checkpoint; true if it is the newest so far.
    bool try_other(fs::path const& path, CheckpointFile file)
    {
        try {
            std::error_code error;
            if (!fs::is_regular_file(fs::symlink_status(path, error))
                || (newest_ && changes_.reach(path) <= last_generation(newest_->document))) {
                return false;
            }
            MapReader const map{path};
            auto document = read(map);
            auto const others = differences_ ? differences_(document) : std::vector<std::string>{};
            if (!others.empty()) {
                foreign_.push_back(fmt::format("{} is an intact checkpoint of another run: {}",
                                               path.string(), fmt::join(others, "; ")));
                return false;
            }
            auto found = continued(std::move(document), map, path, file);
            if (newest_ && last_generation(found.document) <= last_generation(newest_->document)) {
                return false;
            }
            if (newest_) {
                unusable_.push_back(
                    fmt::format("{} is intact, but not the newest", newest_->path.string()));
            }
            newest_ = std::move(found);
            return true;
        } catch (FileError const& failure) {
            useless_.emplace_back(failure.what());
            return false;
        }
    }

    /// Not where map.h5 is intact: someone may have put an older one there.
    void try_kept()
    {
        if (newest_ && newest_->file == CheckpointFile::current) {
            return;
        }
        for (auto const& [generation, path] : kept_checkpoints(folder_)) {
            kept_exist_ = true;
            if (newest_ && !changes_.exist()
                && generation <= last_generation(newest_->document).value()) {
                return;
            }
            if (try_other(path, CheckpointFile::kept) && !changes_.exist()) {
                return;
            }
        }
    }

    [[nodiscard]] std::optional<NewestMap> result()
    {
        if (newest_) {
            newest_->map_is_damaged = map_is_damaged_;
            if (newest_->file != CheckpointFile::current) {
                newest_->messages = unusable_;
            }
            for (auto& problem : changes_.problems_after(last_generation(newest_->document))) {
                newest_->messages.push_back(std::move(problem));
            }
            if (newest_->file > CheckpointFile::previous || !newest_->messages.empty()) {
                newest_->messages.push_back(fmt::format(
                    "resuming from {}, generation {}",
                    (newest_->changes.empty() ? newest_->path : newest_->changes.back()).string(),
                    last_generation(newest_->document).value()));
            }
            return std::move(newest_);
        }
        if (!foreign_.empty()) {
            throw FileError{fmt::format("cannot resume {}", folder_.string()),
                            fmt::format("{}", fmt::join(foreign_, "; ")),
                            "Use the original configuration or another --out."};
        }
        if (changes_.exist()) {
            unusable_.emplace_back(
                "there are change files (map.changes-*.h5), but no map that "
                "they continue");
        }
        if (!unusable_.empty() || kept_exist_) {
            unusable_.insert(unusable_.end(), useless_.begin(), useless_.end());
            throw FileError{fmt::format("cannot resume {}", folder_.string()),
                            fmt::format("no checkpoint is usable: {}", fmt::join(unusable_, "; ")),
                            "Move the files away to start from scratch, or choose another --out."};
        }
        return std::nullopt;
    }

  private:
    [[nodiscard]] MapDocument read(MapReader const& map) const
    {
        return read_map(map, controllers_, store_);
    }

    /// `map` is the open file that was read: its run may have put another one in its place.
    [[nodiscard]] NewestMap continued(MapDocument document, MapReader const& map,
                                      fs::path const& path, CheckpointFile file)
    {
        auto changes = changes_.apply(map.file(), document, controllers_);
        return {std::move(document), path, file, std::move(changes), {}};
    }

    fs::path const& folder_;
    RunDifferences const& differences_;
    Controllers controllers_;
    ParameterStorePtr store_;
    ChangeFiles changes_;
    std::optional<NewestMap> newest_;
    bool map_is_damaged_{false};
    bool kept_exist_{false};
    std::vector<std::string> unusable_;  ///< what is wrong with map.h5 and map.prev.h5
    std::vector<std::string> useless_;   ///< what is wrong with the others
    std::vector<std::string> foreign_;
};

}  // namespace

std::vector<fs::path> changes_in(fs::path const& folder)
{
    auto paths = change_temporaries(folder);
    for (auto& entry : change_paths(folder)) {
        paths.push_back(std::move(entry.second));
    }
    return paths;
}

Generation reachable_generation(fs::path const& folder, fs::path const& map)
{
    return ChangeFiles{folder}.reach(map);
}

void warn_of_newer_changes(fs::path const& map)
{
    auto const folder = map.has_parent_path() ? map.parent_path() : fs::path{"."};
    if (map.empty() || change_paths(folder).empty()) {
        return;
    }
    try {
        auto const own = MapReader{map}.generation();
        auto const reached = ChangeFiles{folder}.reach(map);
        if (reached > own) {
            log::warning(
                "{} has the state of generation {}, but the change files next to it lead to "
                "generation {}: use the file that `mees_inspect merge {} --out newest.h5` writes",
                map.string(), own.value(), reached.value(), folder.string());
        }
    } catch (FileError const&) {
        // Whoever reads the map says what is wrong with it.
    }
}

ChangesFound check_changes_of(fs::path const& path)
{
    ChangeFiles changes{path.parent_path()};
    MapReader const map{path};
    if (!changes.exist()) {
        return {0, map.generation(), {}};
    }
    auto document = read_map(map, Controllers::dropped);
    auto const applied = changes.apply(map.file(), document, Controllers::dropped);
    auto const generation = last_generation(document);
    return {std::ssize(applied), generation,
            path.filename() == map_name ? changes.problems_after(generation)
                                        : changes.damaged_after(generation)};
}

std::optional<NewestMap> load_newest_intact(fs::path const& folder,
                                            RunDifferences const& differences,
                                            Controllers controllers, ParameterStorePtr store)
{
    Search search{folder, differences, controllers, std::move(store)};
    search.try_map(CheckpointFile::current);
    search.try_map(CheckpointFile::previous);
    for (auto const* name : {map_name, previous_map_name}) {
        for (auto const& path : temporaries(folder, fs::path{name}.stem().string())) {
            search.try_other(path, CheckpointFile::temporary);
        }
    }
    search.try_kept();
    return search.result();
}

void adopt(fs::path const& folder, NewestMap const& newest,
           std::function<void()> const& require_folder)
{
    if (newest.map_is_damaged) {
        rename_file(folder / map_name, folder / damaged_map_name, require_folder);
    }
    if (newest.file == CheckpointFile::current || newest.file == CheckpointFile::previous) {
        return;
    }
    MapRotation rotation{folder};
    if (newest.file == CheckpointFile::temporary) {
        rename_file(newest.path, folder / map_name, require_folder);
    } else {
        keep_copy(newest.path, folder / map_name);
    }
    rotation.commit();
}

}  // namespace mees
