#include "mees/core/error.hpp"
#include "mees/core/text.hpp"
#include "mees/inspection/commands.hpp"
#include "mees/storage/checkpoint/folder_lock.hpp"
#include "mees/storage/checkpoint/newest_map.hpp"
#include "mees/storage/checkpoint/writer.hpp"

#include <fmt/format.h>

#include <utility>

namespace mees::inspect {
namespace {

NewestMap newest_state(std::filesystem::path const& folder)
{
    auto newest = load_newest_intact(folder);
    if (!newest) {
        throw FileError{fmt::format("cannot merge {}", folder.string()),
                        "it contains no checkpoint", "Name the folder of a run."};
    }
    return *std::move(newest);
}

void write_new(MapDocument const& document, std::filesystem::path const& to, Existing existing)
{
    AtomicFile file{to};
    write_map(file.temporary(), document);
    file.commit(existing);
}

/// Like a run that resumes and stops at once.
void replace_map(NewestMap newest, std::filesystem::path const& folder, FolderLock const& lock)
{
    auto const require_folder = [&] { lock.require_in_place(); };
    adopt(folder, newest, require_folder);
    CheckpointWriter writer{folder, {.changes_above_megabytes = 0}, require_folder};
    writer.save(std::move(newest.document));
    if (auto const failure = writer.wait()) {
        throw WriteError{fmt::format("cannot merge {}", folder.string()), *failure,
                         "Free disk space or fix the folder, then try again."};
    }
}

}  // namespace

ExitCode merge(std::filesystem::path const& folder, std::filesystem::path const& to,
               Existing existing, std::ostream& out)
{
    std::unique_ptr<FolderLock> lock;
    if (!std::filesystem::is_directory(folder)) {
        throw FileError{fmt::format("cannot merge {}", folder.string()), "it is not a folder",
                        "Name the folder of a run."};
    }
    if (to.empty()) {
        lock = std::make_unique<FolderLock>(folder);
    } else {
        require_output(to, existing);
    }
    auto newest = newest_state(folder);
    for (auto const& message : newest.messages) {
        out << escaped(message) << '\n';
    }
    auto const& history = newest.document.state.history;
    auto const generation = history.empty() ? 0 : history.back().generation.value();
    auto const files = newest.changes.size();
    bool const complete = files == 0 && newest.file == CheckpointFile::current;
    if (!to.empty()) {
        write_new(newest.document, to, existing);
    } else if (!complete) {
        replace_map(std::move(newest), folder, *lock);
    }
    out << fmt::format("{} is complete: generation {}, {} change file{} merged\n",
                       (to.empty() ? folder / "map.h5" : to).string(), generation, files,
                       files == 1 ? "" : "s");
    return ExitCode::success;
}

}  // namespace mees::inspect
