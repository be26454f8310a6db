#include "mees/experiment/run_folder.hpp"

#include "mees/core/atomic_file.hpp"
#include "mees/core/error.hpp"
#include "mees/core/log.hpp"
#include "mees/storage/checkpoint/newest_map.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace mees {
namespace {

namespace fs = std::filesystem;

constexpr char const* finished_name = "FINISHED";

// The mark first: moving the rest may be interrupted.
constexpr char const* run_files[] = {
    finished_name, "map.h5",   "map.prev.h5", "map.damaged.h5",    "config.toml",
    "metrics.csv", "mees.log", "checkpoints", "lost_episodes.csv", "summary.json"};

FileError no_checkpoint(fs::path const& folder)
{
    return {fmt::format("cannot resume {}", folder.string()),
            "it contains no checkpoint and --resume is require",
            "Check --out, or use --resume auto to start a run there."};
}

}  // namespace

fs::path default_folder(fs::path const& config, std::int64_t seed)
{
    return fs::path{"runs"} / fmt::format("{}-seed{}", config.stem().string(), seed);
}

bool contains_run(fs::path const& folder)
{
    std::error_code unreadable;
    return fs::exists(folder / "map.h5", unreadable)
           || fs::exists(folder / "map.prev.h5", unreadable);
}

RunFolder::RunFolder(fs::path path, Resume resume, RunDifferences const& differences,
                     std::optional<std::int64_t> memory_limit)
    : path_{std::move(path)}
{
    if (resume == Resume::require && !fs::exists(path_)) {
        throw no_checkpoint(path_);
    }
    std::error_code error;
    fs::create_directories(path_, error);
    if (error || !fs::is_directory(path_)) {
        throw FileError{fmt::format("cannot create the run folder {}", path_.string()),
                        error ? error.message() : "it is not a folder",
                        "Choose another folder with --out."};
    }
    lock_ = std::make_unique<FolderLock>(path_);
    if (memory_limit) {
        store_ = std::make_shared<ParameterStore>(path_, *memory_limit);
    }
    if (resume == Resume::never) {
        set_aside();
    } else {
        resume_newest(resume, differences);
    }
    fs::remove(stop_file(), error);
    for (auto const* stem : {finished_name, "config", "lost_episodes", "summary", scratch_stem}) {
        remove_temporaries(path_, stem);  // of a run that was killed
    }
}

void RunFolder::resume_newest(Resume resume, RunDifferences const& differences)
{
    auto newest = load_newest_intact(path_, differences, Controllers::kept, store_);
    if (!newest) {
        if (resume == Resume::require) {
            throw no_checkpoint(path_);
        }
        return;
    }
    if (auto const different =
            differences ? differences(newest->document) : std::vector<std::string>{};
        !different.empty()) {
        throw FileError{fmt::format("cannot resume {}", path_.string()),
                        fmt::format("{}", fmt::join(different, "; ")),
                        "Use the original configuration or another --out."};
    }
    if (newest->file != CheckpointFile::current) {
        mark_finished(false);
    }
    adopt(path_, *newest, [this] { require_in_place(); });
    messages_ = std::move(newest->messages);
    if (newest->map_is_damaged) {
        messages_.emplace_back("map.h5 was renamed to map.damaged.h5");
    }
    checkpoint_ = std::move(newest->document);
    continues_changes_ = !newest->changes.empty();
}

void RunFolder::set_aside()
{
    int number = 1;
    while (fs::exists(path_ / fmt::format("old-{}", number))) {
        ++number;
    }
    auto const target = path_ / fmt::format("old-{}", number);
    std::vector<fs::path> names{std::begin(run_files), std::end(run_files)};
    for (auto const* stem : {"map", "map.prev"}) {
        for (auto const& temporary : temporaries(path_, stem)) {
            names.push_back(temporary.filename());
        }
    }
    for (auto const& changes : changes_in(path_)) {
        names.push_back(changes.filename());
    }
    for (auto const& name : names) {
        if (fs::exists(fs::symlink_status(path_ / name))) {
            fs::create_directories(target);
            fs::rename(path_ / name, target / name);
        }
    }
    if (fs::exists(target)) {
        messages_.push_back(fmt::format("{} contained a run, which was moved to {}", path_.string(),
                                        target.string()));
    }
}

void RunFolder::write_config(std::string const& toml) const
{
    try {
        write_file(path_ / "config.toml", toml, [this] { require_in_place(); });
    } catch (WriteError const& error) {
        log::warning("{} The run continues.", error.what());
    }
}

void RunFolder::mark_finished(bool finished) const
{
    auto const mark = path_ / finished_name;
    if (finished) {
        write_file(mark, "The last generation was reached and saved.\n",
                   [this] { require_in_place(); });
        return;
    }
    std::error_code error;
    fs::remove(mark, error);
    if (error) {
        throw FileError{fmt::format("cannot remove {}", mark.string()), error.message(),
                        "Remove it: the run is not finished."};
    }
}

}  // namespace mees
