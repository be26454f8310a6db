#include "fuzz/content.hpp"
#include "fuzz/target.hpp"

using namespace mees::test;

/// The bytes say what is changed in a recording; its checksums are correct.
int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    static Content const golden{MEES_SOURCE_DIR "/tests/fuzz/corpus/recording/ant.h5"};
    try_changed(golden, {data, size}, try_recording);
    return 0;
}
