#pragma once

#include "mees/core/error.hpp"

#include <filesystem>
#include <string_view>

namespace mees {

/// A file could not be written: the disk is full, the folder is gone, ... The program may continue.
class WriteError : public Error {
  public:
    WriteError(std::string_view problem, std::string_view why, std::string_view remedy)
        : Error{ExitCode::failure, problem, why, remedy}
    {
    }
};

/// Replaces a file in one step: at every moment, also after a crash or a power cut, the target is
/// either the complete old file (or none) or the complete new one.
///
/// The caller writes the content to temporary(), in the same folder, then calls commit(). Without a
/// commit the target stays unchanged. The destructor removes temporary(); only a killed process
/// leaves it behind (see remove_temporaries). All failures are WriteErrors.
class AtomicFile {
  public:
    explicit AtomicFile(std::filesystem::path target);
    AtomicFile(AtomicFile const&) = delete;
    AtomicFile& operator=(AtomicFile const&) = delete;
    ~AtomicFile();

    /// A name that no other process, host or earlier object uses. Nothing is created.
    [[nodiscard]] std::filesystem::path const& temporary() const { return temporary_; }

    /// Flushes temporary() to disk, renames it to the target and flushes the folder.
    void commit();

  private:
    std::filesystem::path target_;
    std::filesystem::path temporary_;
};

/// Writes a file through an AtomicFile, replacing an older one.
void write_file(std::filesystem::path const& path, std::string_view content);

/// The same for a result, which never replaces a file: throws FileError like require_new_file.
void write_new_file(std::filesystem::path const& path, std::string_view content);

/// Throws FileError if the path exists, or if its folder does not exist or is not writable.
void require_new_file(std::filesystem::path const& path);

/// Removes temporary files of killed processes for targets whose stem (name without the last
/// extension) is `stem`; for all targets in the folder if `stem` is empty. No other process may
/// write such a target at the same time.
void remove_temporaries(std::filesystem::path const& folder, std::string_view stem = {});

}  // namespace mees
