#include "mees/viewer/library.hpp"

#include "mees/core/log.hpp"
#include "mees/storage/checkpoint/newest_map.hpp"

#include <fmt/format.h>

#include <sys/stat.h>

#include <algorithm>

namespace mees::viewer {
namespace {

constexpr std::size_t versions_kept = 3;
constexpr std::size_t checkpoints_kept = 8;

std::filesystem::path map_in(std::filesystem::path const& folder)
{
    for (auto const* const name : {"map.h5", "map.prev.h5"}) {
        if (std::filesystem::exists(folder / name)) {
            return folder / name;
        }
    }
    throw FileError{fmt::format("no map in {}", folder.string()),
                    "it contains neither map.h5 nor map.prev.h5",
                    "Name the folder of a run, or a map file."};
}

std::string name_of_run(std::filesystem::path const& path, bool folder)
{
    auto const absolute = std::filesystem::absolute(path).lexically_normal();
    auto const last = absolute.filename().empty() ? absolute.parent_path() : absolute;
    if (folder) {
        return last.filename().string();
    }
    return last.filename() == "map.h5" ? last.parent_path().filename().string()
                                       : last.stem().string();
}

}  // namespace

std::optional<Library::Stamp> Library::stamp_of(std::filesystem::path const& path)
{
    struct ::stat status {};
    if (::stat(path.c_str(), &status) != 0) {
        return std::nullopt;
    }
    constexpr std::int64_t nanoseconds = 1'000'000'000;
    return Stamp{status.st_ino, status.st_mtim.tv_sec * nanoseconds + status.st_mtim.tv_nsec,
                 static_cast<std::uint64_t>(status.st_size)};
}

void Library::open_newest(Run& run, Stamp const& stamp)
{
    run.stamp = stamp;
    auto version = fmt::format("{}", run.versions + 1);
    run.open.push_back(std::make_shared<OpenMap>(OpenMap{std::move(version), MapReader{run.file}}));
    ++run.versions;
    if (run.open.size() > versions_kept) {
        run.open.erase(run.open.begin());
    }
}

Library::Run Library::open_run(std::filesystem::path const& path)
{
    bool const folder = std::filesystem::is_directory(path);
    Run run{.name = name_of_run(path, folder),
            .file = folder ? map_in(path) : path,
            .folder = folder ? path : std::filesystem::path{}};
    if (!folder && path.filename() == "map.h5") {
        run.folder = path.parent_path().empty() ? "." : path.parent_path();
    }
    warn_of_newer_changes(run.file);
    open_newest(run, stamp_of(run.file).value_or(Stamp{}));
    return run;
}

Library::Library(std::vector<std::filesystem::path> const& paths)
{
    for (auto const& path : paths) {
        runs_.push_back(open_run(path));
    }
}

bool Library::finished(std::size_t run) const
{
    auto const& folder = runs_.at(run).folder;
    return !folder.empty() && std::filesystem::exists(folder / "FINISHED");
}

OpenMapPtr Library::current(std::size_t run) const
{
    std::lock_guard const lock{mutex_};
    return runs_.at(run).open.back();
}

OpenMapPtr Library::find(std::size_t run, std::string const& version)
{
    auto const kept = checkpoints(run);
    std::lock_guard const lock{mutex_};
    auto& chosen = runs_.at(run);
    for (auto const& map : chosen.open) {
        if (map->version == version) {
            return map;
        }
    }
    if (std::ranges::find(kept, version) == kept.end()) {
        return nullptr;
    }
    auto& opened = chosen.checkpoints[version];
    if (!opened) {
        auto const file = chosen.folder / "checkpoints" / (version + ".h5");
        opened = std::make_shared<OpenMap>(OpenMap{version, MapReader{file}});
    }
    auto result = opened;
    if (chosen.checkpoints.size() > checkpoints_kept) {
        std::erase_if(chosen.checkpoints,
                      [&](auto const& entry) { return entry.first != version; });
    }
    return result;
}

std::vector<std::string> Library::checkpoints(std::size_t run) const
{
    std::vector<std::string> names;
    auto const& folder = runs_.at(run).folder;
    std::error_code none;
    if (!folder.empty()) {
        for (auto const& entry :
             std::filesystem::directory_iterator{folder / "checkpoints", none}) {
            auto const stem = entry.path().stem().string();
            if (entry.path().extension() == ".h5" && stem.starts_with("gen_")) {
                names.push_back(stem);
            }
        }
    }
    std::ranges::sort(names);
    return names;
}

std::vector<std::size_t> Library::refresh()
{
    std::vector<std::size_t> changed;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
        std::lock_guard const lock{mutex_};
        auto& run = runs_[i];
        auto const stamp = stamp_of(run.file);
        if (!stamp || *stamp == run.stamp) {
            continue;
        }
        try {
            open_newest(run, *stamp);
            changed.push_back(i);
        } catch (FileError const& error) {
            log::warning("{}", error.what());
        }
    }
    return changed;
}

}  // namespace mees::viewer
