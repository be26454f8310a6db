#pragma once

#include <filesystem>
#include <memory>
#include <string>

namespace mees {

/// Keeps a second run off a folder, or off one file, for as long as it lives.
///
/// The lock is the kernel's (or the file server's) on the file `.lock` in the folder, or on
/// `.NAME.lock` beside the file, which itself may be replaced meanwhile: other hosts
/// see it where the file system passes locks on, and it ends with the process, however that ends,
/// so that nothing is ever left to clean up; the file itself means nothing. Where the file system
/// refuses locks, a warning says so and the run goes on unprotected.
class FolderLock {
  public:
    /// Throws FileError naming the holder if the folder is in use.
    explicit FolderLock(std::filesystem::path const& folder);
    /// The same for a file, which need not be there; its folder must.
    [[nodiscard]] static std::unique_ptr<FolderLock> of_file(std::filesystem::path const& file);
    FolderLock(FolderLock const&) = delete;
    FolderLock& operator=(FolderLock const&) = delete;
    ~FolderLock();

    /// False where the file system refuses locks.
    [[nodiscard]] bool held() const { return held_; }

  private:
    FolderLock(std::filesystem::path const& lock_file, std::string const& subject);

    int descriptor_{-1};
    bool held_{false};
};

}  // namespace mees
