#include "catch.hpp"

#include "mees/cluster/detail/master_signs.hpp"

using namespace mees;
using Verdict = MasterWatch::Verdict;

TEST_CASE("rank 0 is lost when it was silent for the patience of a leader")
{
    MasterWatch watch;
    CHECK(watch.look(4, true, 10) == Verdict::lives);
    CHECK(watch.look(4, true, 10) == Verdict::lives);
    CHECK(watch.silent_seconds() == Approx(8));
    SECTION("but not if it was heard of meanwhile")
    {
        watch.heard({});
        CHECK(watch.look(9, true, 10) == Verdict::lives);
        CHECK(watch.look(1, true, 10) == Verdict::silent);
    }
    SECTION("or if no sign was due")
    {
        CHECK(watch.look(100, false, 10) == Verdict::lives);
        CHECK(watch.look(9, true, 10) == Verdict::lives);
    }
    SECTION("or if counting began again")
    {
        watch.restart();
        CHECK(watch.look(9, true, 10) == Verdict::lives);
    }
    SECTION("or without a limit")
    {
        CHECK(watch.look(1e6, true, 0) == Verdict::lives);
    }
    CHECK(watch.look(2, true, 10) == Verdict::silent);
}

TEST_CASE("launchers get some seconds to act on the end of rank 0's process")
{
    MasterWatch watch;
    watch.heard({.ended = 1});
    double seconds = 0;
    while (watch.look(0.5, false, 0) == Verdict::lives && seconds < 60) {
        seconds += 0.5;
    }
    // More than the KillWait of SLURM's srun would not help: it has acted by then.
    CHECK(seconds >= 5);
    CHECK(seconds <= 15);
    CHECK(watch.look(0, false, 0) == Verdict::ended);
    watch.heard({});
    CHECK(watch.look(0, true, 1000) == Verdict::ended);
}
