#include "mees/storage/verify.hpp"

#include "mees/core/error.hpp"
#include "mees/core/text.hpp"
#include "mees/inspection/commands.hpp"
#include "mees/storage/checkpoint/newest_map.hpp"
#include "mees/storage/hdf5/file.hpp"

#include <fmt/format.h>

#include <set>

namespace mees::inspect {
namespace {

namespace fs = std::filesystem;

std::string files_of_changes(std::int64_t count)
{
    return fmt::format("{} change file{}", count, count == 1 ? "" : "s");
}

/// True if the file is intact.
bool verify_file(fs::path const& file, std::ostream& out)
{
    auto const problems = mees::verify(file);
    for (auto const& problem : problems) {
        out << escaped(problem) << '\n';
    }
    if (!problems.empty()) {
        out << fmt::format("{} is damaged: {} of its parts are unusable\n", file.string(),
                           problems.size());
        return false;
    }
    auto const generation = hdf5::Reader{file}.integer("/", "generation");
    out << fmt::format("{} is intact: generation {}, {} bytes, all checksums correct\n",
                       file.string(), generation, fs::file_size(file));
    return true;
}

/// The maps of a run folder and the change files that continue each of them.
class FolderCheck {
  public:
    FolderCheck(fs::path folder, std::ostream& out) : folder_{std::move(folder)}, out_{out} {}

    ExitCode run()
    {
        bool const current = check("map.h5");
        bool const previous = fs::exists(folder_ / "map.prev.h5") ? check("map.prev.h5") : true;
        if (current && previous) {
            return ExitCode::success;
        }
        say_what_is_left();
        return ExitCode::unusable_file;
    }

  private:
    bool check(char const* name)
    {
        auto const map = folder_ / name;
        if (!fs::exists(map)) {
            out_ << fmt::format("{} is missing\n", map.string());
            return false;
        }
        return verify_file(map, out_) && check_changes(map);
    }

    bool check_changes(fs::path const& map)
    {
        auto const found = check_changes_of(map);
        for (auto const& problem : found.problems) {
            if (printed_.insert(problem).second) {
                out_ << escaped(problem) << '\n';
            }
        }
        if (!found.problems.empty()) {
            out_ << fmt::format(
                "{} is damaged: {} lead to generation {} only\n", folder_.string(),
                map.filename() == "map.h5" ? "its change files" : "the change files of map.prev.h5",
                found.generation.value());
            return false;
        }
        if (found.files > 0) {
            out_ << fmt::format("its {} {} intact: generation {}\n", files_of_changes(found.files),
                                found.files == 1 ? "is" : "are", found.generation.value());
        }
        return true;
    }

    /// Throws FileError if nothing is.
    void say_what_is_left()
    {
        auto const newest = load_newest_intact(folder_, {}, Controllers::dropped);
        if (!newest) {
            throw FileError{fmt::format("cannot verify {}", folder_.string()),
                            "it contains no checkpoint", "Name a file or the folder of a run."};
        }
        auto const& history = newest->document.state.history;
        auto const files = std::ssize(newest->changes);
        out_ << fmt::format("a run resumes from {}{}: generation {}\n", newest->path.string(),
                            files == 0 ? "" : fmt::format(" and {}", files_of_changes(files)),
                            history.empty() ? 0 : history.back().generation.value());
    }

    fs::path folder_;
    std::ostream& out_;
    std::set<std::string> printed_;
};

}  // namespace

ExitCode verify(fs::path const& path, std::ostream& out)
{
    if (fs::is_directory(path)) {
        return FolderCheck{path, out}.run();
    }
    return verify_file(path, out) ? ExitCode::success : ExitCode::unusable_file;
}

}  // namespace mees::inspect
