#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace mees {

/// Memory on disk: blocks of equal size in a file without a name.
///
/// Blocks are written like a file and read like memory, which the kernel can take back at any time.
/// Whoever shares a block may read it, from any thread, also after the end of this object. Nothing
/// is left behind when the process ends, even if it is killed; only a file system without O_TMPFILE
/// shows a temporary file (see remove_temporaries, stem `scratch_stem`) for a moment. A full disk
/// makes `add` fail, never a read, because the space of a block is allocated before it is used. A
/// disk that cannot be read ends the process with SIGBUS.
class ScratchFile {
  public:
    /// Nothing is created before the first block.
    ScratchFile(std::filesystem::path folder, std::size_t block_bytes);

    /// A copy of these bytes, at most a block, in the file. Its block is used again once the copy
    /// has no owner. Throws WriteError.
    [[nodiscard]] std::shared_ptr<std::byte const> add(std::span<std::byte const> bytes);

    [[nodiscard]] std::size_t block_bytes() const;
    /// Blocks that the file has, those without an owner included.
    [[nodiscard]] std::int64_t blocks() const;

  private:
    class File;
    std::shared_ptr<File> file_;
};

inline constexpr char const* scratch_stem = "scratch";

}  // namespace mees
