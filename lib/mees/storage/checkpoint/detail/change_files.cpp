#include "mees/storage/checkpoint/detail/change_files.hpp"

#include "mees/core/atomic_file.hpp"
#include "mees/storage/map/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace mees {
namespace {

constexpr std::string_view changes_prefix = "map.changes-";
constexpr std::string_view changes_suffix = ".h5";

bool is_regular(std::filesystem::path const& path)
{
    std::error_code error;
    return std::filesystem::is_regular_file(std::filesystem::symlink_status(path, error));
}

/// The generation in the name of a change file.
std::optional<Generation> named_generation(std::string const& name)
{
    if (!name.starts_with(changes_prefix) || !name.ends_with(changes_suffix)) {
        return std::nullopt;
    }
    std::int64_t number = 0;
    auto const* const end = name.data() + name.size() - changes_suffix.size();
    auto const [stop, failure] = std::from_chars(name.data() + changes_prefix.size(), end, number);
    return failure == std::errc{} && stop == end ? std::optional{Generation{number}} : std::nullopt;
}

}  // namespace

std::filesystem::path changes_path(std::filesystem::path const& folder, Generation generation)
{
    return folder / fmt::format("{}{:06}{}", changes_prefix, generation.value(), changes_suffix);
}

std::vector<std::pair<Generation, std::filesystem::path>> change_paths(
    std::filesystem::path const& folder)
{
    std::vector<std::pair<Generation, std::filesystem::path>> paths;
    std::error_code error;
    for (auto const& entry : std::filesystem::directory_iterator{folder, error}) {
        auto const generation = named_generation(entry.path().filename().string());
        if (generation && is_regular(entry.path())) {
            paths.emplace_back(*generation, entry.path());
        }
    }
    std::ranges::sort(paths);
    return paths;
}

std::vector<std::filesystem::path> change_temporaries(std::filesystem::path const& folder)
{
    auto paths = temporaries(folder);
    std::erase_if(paths, [](auto const& path) {
        return !path.filename().string().starts_with(fmt::format(".{}", changes_prefix))
               || !is_regular(path);
    });
    return paths;
}

void remove_changes(std::filesystem::path const& folder, Generation last)
{
    std::error_code error;
    for (auto const& [generation, path] : change_paths(folder)) {
        if (generation <= last) {
            std::filesystem::remove(path, error);
        }
    }
}

ChangeFiles::ChangeFiles(std::filesystem::path const& folder)
{
    for (auto const& [generation, path] : change_paths(folder)) {
        read(path, generation);
    }
    for (auto const& path : change_temporaries(folder)) {
        read(path, std::nullopt);
    }
    std::ranges::stable_sort(files_, std::ranges::greater{}, &File::generation);
}

/// An incomplete temporary file is not worth a word.
void ChangeFiles::read(std::filesystem::path const& path, std::optional<Generation> named)
{
    try {
        MapReader const map{path, MapContent::changes};
        files_.push_back({path, map.generation(), state_id(map.file()), origin_of(map.file()).id});
    } catch (FileError const& error) {
        if (named) {
            unusable_.emplace_back(*named, error.what());
        }
    }
}

std::vector<ChangeFiles::File*> ChangeFiles::continuing(std::string const& id)
{
    std::vector<File*> found;
    for (auto& file : files_) {
        if (file.previous == id) {
            found.push_back(&file);
        }
    }
    return found;
}

Generation ChangeFiles::reach(std::filesystem::path const& map)
{
    MapReader const reader{map};
    auto generation = reader.generation();
    auto id = files_.empty() ? std::string{} : state_id(reader.file());
    for (std::size_t step = 0; step < files_.size(); ++step) {
        auto const next = continuing(id);
        if (next.empty()) {
            break;
        }
        id = next.front()->id;
        generation = next.front()->generation;
    }
    return generation;
}

std::vector<std::filesystem::path> ChangeFiles::apply(hdf5::Reader const& map,
                                                      MapDocument& document,
                                                      Controllers controllers)
{
    std::vector<std::filesystem::path> applied;
    if (files_.empty()) {
        return applied;
    }
    auto id = state_id(map);
    auto const apply_one_of = [&](std::vector<File*> const& next) {
        for (auto* const file : next) {
            if (std::exchange(file->tried, true)) {
                continue;
            }
            try {
                document = read_changes(file->path, document, controllers);
                applied.push_back(file->path);
                id = file->id;
                return true;
            } catch (FileError const& error) {
                if (is_regular(file->path)) {  // its run may have renamed or removed it
                    unusable_.emplace_back(file->generation, error.what());
                }
            }
        }
        return false;
    };
    while (apply_one_of(continuing(id))) {
    }
    return applied;
}

std::vector<std::string> ChangeFiles::damaged_after(Generation generation) const
{
    std::vector<std::string> problems;
    for (auto const& [reached, problem] : unusable_) {
        if (reached > generation) {
            problems.push_back(problem);
        }
    }
    return problems;
}

std::vector<std::string> ChangeFiles::problems_after(Generation generation) const
{
    auto problems = damaged_after(generation);
    auto const is_left = [&](File const& file) {
        return !file.tried && file.generation > generation;
    };
    if (auto const left = std::ranges::count_if(files_, is_left); left > 0) {
        auto const first = std::ranges::find_if(files_.rbegin(), files_.rend(), is_left);
        problems.push_back(
            fmt::format("{} is not used, nor is any of the {} change files after it (it does not "
                        "continue an intact state of this folder)",
                        first->path.string(), left - 1));
    }
    return problems;
}

}  // namespace mees
