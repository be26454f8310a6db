#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

/// A fuzz target: takes any bytes, and aborts if the reader misbehaves.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);

namespace mees::test {

using ByteView = std::span<std::uint8_t const>;

/// Aborts unless `condition` is true.
void must_hold(bool condition, std::string const& what);

/// A file with these bytes, in memory.
class MemoryFile {
  public:
    explicit MemoryFile(ByteView bytes);
    MemoryFile(MemoryFile const&) = delete;
    MemoryFile& operator=(MemoryFile const&) = delete;
    ~MemoryFile();

    [[nodiscard]] std::filesystem::path path() const;

  private:
    int descriptor_;
};

/// Copies a file to the folder MEES_FUZZ_KEEP, if that is set: for other readers.
void keep_copy(std::filesystem::path const& path);

/// Checks that the readers of maps and recordings either reject a file with a FileError or return
/// valid data. True if a map was read.
bool try_map(std::filesystem::path const& path);
void try_recording(std::filesystem::path const& path);

}  // namespace mees::test
