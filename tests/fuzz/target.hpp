#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

/// A fuzz target: takes any bytes, and ends the program if the reader does what it must not.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);

namespace mees::test {

using ByteView = std::span<std::uint8_t const>;

/// Ends the program unless `condition` holds.
void must_hold(bool condition, std::string const& what);

/// A file that holds these bytes and stands on no disk.
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

/// What holds of any file given to the readers of maps and of recordings: it is refused with a
/// FileError, or what was read is sound. Whether a map was read.
bool try_map(std::filesystem::path const& path);
void try_recording(std::filesystem::path const& path);

}  // namespace mees::test
