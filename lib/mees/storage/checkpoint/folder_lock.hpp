#pragma once

#include "mees/core/error.hpp"

#include <filesystem>
#include <memory>
#include <string>

namespace mees {

/// A run's folder is not at its path any more: it was removed, or another one has taken its place.
class FolderLost : public Error {
  public:
    FolderLost(std::string_view problem, std::string_view why, std::string_view remedy)
        : Error{ExitCode::failure, problem, why, remedy}
    {
    }
};

/// Locks a folder, or one file, against a second run until it is destroyed.
///
/// The lock is the kernel's (or the file server's) on the file `.lock` in the folder, or on
/// `.NAME.lock` next to the file, which itself may be replaced meanwhile. Other hosts see it where
/// the file system supports that. It ends with the process, however that ends, so that nothing is
/// left to clean up; the existence of the lock file means nothing. On a file system without locks
/// a warning is logged and the run continues unprotected.
class FolderLock {
  public:
    /// Throws FileError naming the holder if the folder is in use.
    explicit FolderLock(std::filesystem::path const& folder);
    /// The same for a file, which need not exist; its folder must.
    [[nodiscard]] static std::unique_ptr<FolderLock> of_file(std::filesystem::path const& file);
    FolderLock(FolderLock const&) = delete;
    FolderLock& operator=(FolderLock const&) = delete;
    ~FolderLock();

    /// Throws FolderLost if the lock file's path does not lead to the locked file any more, because
    /// the lock file or its folder was removed, or moved and replaced: another run may use the path
    /// then. A folder that is only away for now (moved, not mounted) is not an error here: writing
    /// to it is.
    void require_in_place() const;

    /// False on a file system without locks.
    [[nodiscard]] bool held() const { return held_; }

  private:
    FolderLock(std::filesystem::path lock_file, std::string subject);

    std::filesystem::path path_;
    std::string subject_;
    int descriptor_{-1};
    bool held_{false};
};

}  // namespace mees
