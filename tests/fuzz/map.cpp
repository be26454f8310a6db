#include "fuzz/target.hpp"

#include "mees/storage/verify.hpp"

using namespace mees::test;

/// The bytes are map.h5.
int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    MemoryFile const file{{data, size}};
    must_hold(try_map(file.path()) == mees::verify(file.path()).empty(),
              "what verifies can be read, and nothing else");
    return 0;
}
