#include "catch.hpp"
#include "mees/inspection/commands.hpp"
#include "mees/storage/map/file.hpp"
#include "storage/samples.hpp"

#include <sstream>

using namespace mees;
using test::sample_document;
using test::ScratchFolder;

TEST_CASE("summary describes run and map")
{
    ScratchFolder const folder;
    write_map(folder / "map.h5", sample_document(1));
    std::ostringstream out;
    CHECK(inspect::summary(folder / "map.h5", {}, {}, {}, out) == ExitCode::success);
    for (auto const* part : {"me-es on point_maze, seed 1", "3 - 4 - 2, 26 parameters",
                             "8 x 5 = 40 cells", "6 (15.00 %)", "offset -3.5", "x in -1..1"}) {
        CHECK_THAT(out.str(), Catch::Contains(part));
    }
    out.str("");
    CHECK(inspect::summary(folder / "map.h5", {}, -10.0, {}, out) == ExitCode::success);
    CHECK_THAT(out.str(), Catch::Contains("offset -10"));
    CHECK_THROWS_AS(inspect::summary(folder / "none.h5", {}, {}, {}, out), FileError);
}

TEST_CASE("verify and diff report problems and differences with their exit codes")
{
    ScratchFolder const folder;
    write_map(folder / "a.h5", sample_document(1));
    auto document = sample_document(1);
    document.run.wall_seconds += 1;
    write_map(folder / "b.h5", document);
    document.run.seed = 2;
    document.state.history[3].fitness += 1;
    write_map(folder / "c.h5", document);

    std::ostringstream out;
    CHECK(inspect::verify(folder / "a.h5", out) == ExitCode::success);
    CHECK(inspect::diff(folder / "a.h5", folder / "b.h5", out) == ExitCode::success);
    CHECK(inspect::diff(folder / "a.h5", folder / "c.h5", out) == ExitCode::failure);
    CHECK_THAT(out.str(), Catch::Contains("/@seed differs"));
    CHECK_THAT(out.str(), Catch::Contains("/history/fitness differs, first in row 3"));

    std::filesystem::resize_file(folder / "a.h5", 5000);
    CHECK(inspect::verify(folder / "a.h5", out) == ExitCode::unusable_file);
    CHECK_THAT(out.str(), Catch::Contains("truncated"));
}
