#pragma once

#include <filesystem>
#include <memory>
#include <string>

namespace mees {

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

    /// False on a file system without locks.
    [[nodiscard]] bool held() const { return held_; }

  private:
    FolderLock(std::filesystem::path const& lock_file, std::string const& subject);

    int descriptor_{-1};
    bool held_{false};
};

}  // namespace mees
