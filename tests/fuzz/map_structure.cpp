#include "fuzz/structure.hpp"
#include "fuzz/target.hpp"
#include "scratch_folder.hpp"

#include "mees/storage/verify.hpp"

#include <fstream>

using namespace mees::test;

/// The bytes say how the structure of a map is changed.
int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    ScratchFolder const folder;
    auto const map = folder / "changed.h5";
    std::filesystem::copy_file(MEES_SOURCE_DIR "/tests/storage/golden/map-1.0.h5", map);
    std::ofstream{folder / "other"} << std::string(4096, 'x');
    auto const changed = change_structure(map, {data, size}, folder / "other");
    keep_copy(map);
    bool const intact = mees::verify(map).empty();
    must_hold(!intact || try_map(map), "what verifies can be read");
    must_hold(!intact || !changed.elsewhere, "what verifies has all its values in one file");
    must_hold(!intact || !changed.endless, "what verifies is stored in full");
    try_map(map);
    return 0;
}
