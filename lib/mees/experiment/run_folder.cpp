#include "mees/experiment/run_folder.hpp"

#include "mees/core/atomic_file.hpp"
#include "mees/core/error.hpp"
#include "mees/core/log.hpp"
#include "mees/storage/checkpoint/newest_map.hpp"

#include <fmt/format.h>

#include <utility>

namespace mees {
namespace {

namespace fs = std::filesystem;

constexpr char const* finished_name = "FINISHED";

// The mark first: moving the rest may be interrupted.
constexpr char const* run_files[] = {finished_name, "map.h5",   "map.prev.h5", "config.toml",
                                     "metrics.csv", "mees.log", "checkpoints", "lost_episodes.csv"};

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

RunFolder::RunFolder(fs::path path, Resume resume) : path_{std::move(path)}
{
    auto const no_checkpoint = [this] {
        return FileError{fmt::format("cannot resume {}", path_.string()),
                         "it contains no checkpoint and --resume is require",
                         "Check --out, or use --resume auto to start a run there."};
    };
    if (resume == Resume::require && !fs::exists(path_)) {
        throw no_checkpoint();
    }
    std::error_code error;
    fs::create_directories(path_, error);
    if (error || !fs::is_directory(path_)) {
        throw FileError{fmt::format("cannot create the run folder {}", path_.string()),
                        error ? error.message() : "it is not a folder",
                        "Choose another folder with --out."};
    }
    lock_ = std::make_unique<FolderLock>(path_);
    fs::remove(stop_file(), error);
    if (resume == Resume::never) {
        set_aside();
        return;
    }
    if (auto newest = load_newest_intact(path_)) {
        for (auto const& message : newest->messages) {
            log::warning("{}", message);
        }
        checkpoint_ = std::move(newest->document);
    } else if (resume == Resume::require) {
        throw no_checkpoint();
    }
}

void RunFolder::set_aside() const
{
    int number = 1;
    while (fs::exists(path_ / fmt::format("old-{}", number))) {
        ++number;
    }
    auto const target = path_ / fmt::format("old-{}", number);
    for (auto const* name : run_files) {
        if (fs::exists(path_ / name)) {
            fs::create_directories(target);
            fs::rename(path_ / name, target / name);
        }
    }
    if (fs::exists(target)) {
        log::warning("{} contained a run, which was moved to {}", path_.string(), target.string());
    }
}

void RunFolder::write_config(std::string const& toml) const
{
    try {
        write_file(path_ / "config.toml", toml);
    } catch (WriteError const& error) {
        log::warning("{} The run continues.", error.what());
    }
}

void RunFolder::mark_finished(bool finished) const
{
    auto const mark = path_ / finished_name;
    if (finished) {
        write_file(mark, "The last generation was reached and saved.\n");
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
