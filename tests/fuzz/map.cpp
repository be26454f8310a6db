#include "fuzz/target.hpp"

using namespace mees::test;

/// The bytes are map.h5.
int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    try_map(MemoryFile{{data, size}}.path());
    return 0;
}
