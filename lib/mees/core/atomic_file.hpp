#pragma once

#include "mees/core/error.hpp"

#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

namespace mees {

/// A file could not be written: the disk is full, the folder is gone, ... The program may continue.
class WriteError : public Error {
  public:
    WriteError(std::string_view problem, std::string_view why, std::string_view remedy)
        : Error{ExitCode::failure, problem, why, remedy}
    {
    }
};

/// What happens to a file that has the name of a new one.
enum class Existing { replace, keep };

/// Replaces a file in one step: at every moment, also after a crash or a power cut, the target is
/// either the complete old file (or none) or the complete new one.
///
/// The caller writes the content to temporary(), in the same folder, then calls commit(). Without a
/// commit, and by a commit that finds a file to keep, the target stays unchanged. The destructor
/// removes temporary(); only a killed process leaves it behind (see remove_temporaries). All
/// failures are WriteErrors.
class AtomicFile {
  public:
    explicit AtomicFile(std::filesystem::path target);
    AtomicFile(AtomicFile const&) = delete;
    AtomicFile& operator=(AtomicFile const&) = delete;
    ~AtomicFile();

    /// A name that no other process, host or earlier object uses. Nothing is created.
    [[nodiscard]] std::filesystem::path const& temporary() const { return temporary_; }

    /// Flushes temporary() to disk, renames it to the target and flushes the folder.
    void commit(Existing existing = Existing::replace);

  private:
    std::filesystem::path target_;
    std::filesystem::path temporary_;
};

/// Writes a file through an AtomicFile, replacing an older one. `before_commit` may throw to
/// prevent that.
void write_file(std::filesystem::path const& path, std::string_view content,
                std::function<void()> const& before_commit = {});

/// The same for a result, which by default replaces no file: throws FileError like require_output.
void write_new_file(std::filesystem::path const& path, std::string_view content,
                    Existing existing = Existing::keep);

/// Creates a folder and those that contain it, where they do not exist. Throws FileError.
void make_folder(std::filesystem::path const& folder);

/// Call it before the work for a result begins. Throws FileError if the path exists and is to be
/// kept or is not a file, or if its folder does not exist or is not writable. Removes temporary
/// files for the path that processes of this host left behind when they were killed.
void require_output(std::filesystem::path const& path, Existing existing);

/// The same, and the path must not be `input`, which is never replaced.
void require_output(std::filesystem::path const& path, Existing existing,
                    std::filesystem::path const& input);

/// Temporary files for targets whose stem (name without the last extension) is `stem`, sorted; for
/// all targets in the folder if `stem` is empty.
[[nodiscard]] std::vector<std::filesystem::path> temporaries(std::filesystem::path const& folder,
                                                             std::string_view stem = {});

/// Removes these temporary files, which killed processes left behind. No other process may write
/// such a target at the same time.
void remove_temporaries(std::filesystem::path const& folder, std::string_view stem = {});

/// Removes those for this target whose process certainly has ended: it had the same origin
/// (process_origin) and does not exist.
void remove_abandoned_temporaries(std::filesystem::path const& target);

}  // namespace mees
