#include "fuzz/target.hpp"

using namespace mees::test;

/// The bytes are a recorded trajectory.
int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    try_recording(MemoryFile{{data, size}}.path());
    return 0;
}
