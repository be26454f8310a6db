#include "fuzz/content.hpp"
#include "fuzz/target.hpp"

#include <array>

using namespace mees::test;

/// The first byte selects a map, the others what is changed in it; its checksums are correct.
int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    static std::array const maps{
        Content{MEES_SOURCE_DIR "/tests/storage/golden/map-1.0.h5"},
        Content{MEES_SOURCE_DIR "/tests/fuzz/corpus/map/voronoi-evaluated.h5"}};
    if (size > 0) {
        try_changed(maps[data[0] % maps.size()], {data + 1, size - 1}, try_map);
    }
    return 0;
}
