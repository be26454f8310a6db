#include "catch.hpp"
#include "mees/storage/map/file.hpp"
#include "mees/storage/verify.hpp"

using namespace mees;

// A map that version 0.1.0 wrote (point_maze, seed 1, 12 generations). Every later version must
// read it; the values were read with h5dump.
TEST_CASE("a map of format 1.0 stays readable")
{
    auto const path = std::filesystem::path{MEES_TEST_DIR} / "storage" / "golden" / "map-1.0.h5";
    CHECK(verify(path).empty());
    auto const document = read_map(path);
    CHECK(MapReader{path}.format_version() == FormatVersion{1, 0});
    CHECK(document.run.domain == "point_maze");
    CHECK(document.run.algorithm == "me-es");
    CHECK(document.network.layers() == std::vector<std::int64_t>{4, 8, 2});
    CHECK(document.state.history.size() == 13);
    CHECK(document.state.archive.size() == 13);
    CHECK(document.state.emitters.size() == 1);
    CHECK(document.bc_names == std::vector<std::string>{"x", "y"});
    CHECK(document.state.map.space().cells() == 100);
    CHECK(document.state.map.filled() == 3);
    CHECK(document.state.history.back().best == Approx(-6.78782));
}
