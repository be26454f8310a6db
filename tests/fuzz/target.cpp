#include "fuzz/target.hpp"

#include <fmt/format.h>

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

// HDF5 itself leaks memory when a damaged file cannot be opened; that is not tested here.
extern "C" char const* __lsan_default_suppressions();
extern "C" char const* __lsan_default_suppressions()
{
    return "leak:libhdf5";
}

namespace mees::test {

void must_hold(bool condition, std::string const& what)
{
    if (!condition) {
        fmt::print(stderr, "this does not hold: {}\n", what);
        std::abort();
    }
}

MemoryFile::MemoryFile(ByteView bytes) : descriptor_{::memfd_create("input", MFD_CLOEXEC)}
{
    must_hold(descriptor_ >= 0, "a file in memory can be made");
    must_hold(::write(descriptor_, bytes.data(), bytes.size()) == std::ssize(bytes),
              "a file in memory can be written");
}

MemoryFile::~MemoryFile()
{
    ::close(descriptor_);
}

std::filesystem::path MemoryFile::path() const
{
    return fmt::format("/proc/self/fd/{}", descriptor_);
}

void keep_copy(std::filesystem::path const& path)
{
    static int count = 0;
    if (char const* folder = std::getenv("MEES_FUZZ_KEEP"); folder != nullptr) {
        std::filesystem::copy_file(
            path, std::filesystem::path{folder} / fmt::format("{}-{}.h5", ::getpid(), count++));
    }
}

}  // namespace mees::test
