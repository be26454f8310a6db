#include "catch.hpp"
#include "mees/programs/detail/tables.hpp"

using namespace mees;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("the reference table shows what deviates and whether the recording is reproduced")
{
    Recording recording;
    recording.domain = "ant";
    recording.steps = 20;
    recording.engine_version = engine_version();
    ReferenceCheck check;
    check.model = {{"body_mass", 0, 0, {}}};
    check.trajectory = {{"qpos", 0, 0, {}}};
    auto const same = reference_table("a.h5", recording, check);
    CHECK_THAT(same, ContainsSubstring("a.h5: ant, 20 steps, recorded with MuJoCo"));
    CHECK_THAT(same, ContainsSubstring("first 20 steps"));
    CHECK_THAT(same, ContainsSubstring("\n  reproduced\n") && !ContainsSubstring("body_mass"));

    check.model[0].early = 1;
    recording.engine_version = "0.0";
    auto const other = reference_table("a.h5", recording, check);
    CHECK_THAT(other, ContainsSubstring("model/body_mass"));
    CHECK_THAT(other, ContainsSubstring("only the same version is bit-identical"));
    CHECK_THAT(other, ContainsSubstring("\n  NOT reproduced\n"));
    CHECK_THAT(other, ContainsSubstring("the file contains no configuration"));
}
