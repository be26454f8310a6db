#include "catch.hpp"
#include "report/text_files.hpp"
#include "scratch_folder.hpp"

#include "mees/algorithms/registry.hpp"
#include "mees/report/run_report.hpp"

using namespace mees;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

namespace {

SearchProblemPtr problem()
{
    Settings settings;
    settings.run.generations = 4;
    settings.domain.name = "point_maze";
    settings.map.qd_offset = -10;
    return std::make_shared<SearchProblem const>(
        SearchProblem{settings, NetworkShape{{4, 8, 2}}, BehaviourSpace{{5, 5}, {0, 0}, {1, 1}},
                      AlgorithmRegistry{}.find("me-es")});
}

GenerationRecord row(std::int64_t generation)
{
    GenerationRecord record;
    record.generation = Generation{generation};
    record.fitness = static_cast<double>(generation);
    record.episodes = 100 * (generation + 1);
    record.steps = 54'321;
    record.diverged = 1;
    return record;
}

State reached(std::int64_t generation)
{
    auto state = initial_state(*problem());
    for (std::int64_t g = 0; g <= generation; ++g) {
        Elite elite;
        elite.bc = {0.2 * static_cast<double>(g) + 0.1, 0.5};
        elite.fitness = static_cast<double>(g) - 2;
        elite.generation = Generation{g};
        static_cast<void>(state.map.insert(std::move(elite)));
        state.history.push_back(row(g));
    }
    state.episodes = 1500;
    state.steps = 1'234'567;
    state.diverged = 2;
    return state;
}

TimeSplit time_split()
{
    return {{{"rank 1", 10, 1, 0, 0, 0}, {"rank 2", 14, 2, 3, 0, 0}}, 1.5, 0.25};
}

}  // namespace

TEST_CASE("in a pipe each generation has its own line")
{
    mees::test::ScratchFolder const folder;
    std::ostringstream out;
    {
        RunReport report{folder.path(), problem(), {"x", "y"}, {}, out, Terminal{}};
        report.record(row(0), 2);
        report.record(row(1), 4);
        report.record(row(2), 6);
    }
    auto const text = out.str();
    CHECK_THAT(text,
               StartsWith("me-es explore-exploit on point_maze, seed 1: 58 parameters, 25 cells\n"
                          "4 generations, run folder "));
    CHECK(count_of(text, "\n") == 5);
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find('\r') == std::string::npos);
    CHECK_THAT(text, ContainsSubstring(" 50.00 ep/s     0:02  ETA       -\n"));
    // The mean of 2, 4 and 6 seconds, twice.
    CHECK_THAT(text, EndsWith(" 25.00 ep/s     0:12  ETA    0:08\n"));
    CHECK(count_of(text_of(folder.path() / "metrics.csv"), "\n") == 4);
}

TEST_CASE("on a terminal one line is redrawn, and ended however the run ends")
{
    mees::test::ScratchFolder const folder;
    std::ostringstream out;
    {
        RunReport report{
            folder.path(), problem(), {}, {}, out, Terminal{.interactive = true, .columns = 100}};
        report.record(row(0), 2);
        report.record(row(1), 4);
    }
    auto const text = out.str();
    CHECK(count_of(text, "\n") == 3);
    CHECK(count_of(text, "\r\x1b[K") == 2);
    CHECK_THAT(text, EndsWith("\n"));
}

TEST_CASE("a resumed run continues counting")
{
    mees::test::ScratchFolder const folder;
    std::ostringstream out;
    auto const before = reached(1);
    std::vector<double> const seconds{100, 200};
    RunReport report{folder.path(), problem(), {}, {before.history, seconds}, out, Terminal{}};
    report.record(row(2), 4);
    CHECK_THAT(out.str(), ContainsSubstring("\nresuming after generation 1\n"));
    CHECK_THAT(out.str(), ContainsSubstring(" 25.00 ep/s     5:04  ETA    0:08\n"));
    report.finish(reached(2), "the time limit", 304, time_split());
    CHECK_THAT(out.str(), ContainsSubstring("time       5:04 in total, 0:04 since this start\n"));
    auto const metrics = text_of(folder.path() / "metrics.csv");
    CHECK(count_of(metrics, "\n") == 4);
    CHECK_THAT(metrics, ContainsSubstring(",100\n") && ContainsSubstring(",200\n"));
}

TEST_CASE("the summary has the reason, the results, the timing and the next commands")
{
    mees::test::ScratchFolder const folder;
    std::ostringstream out;
    RunReport report{folder.path(), problem(), {"x", "y"}, {}, out, Terminal{}};
    SECTION("at the last generation")
    {
        report.finish(reached(4), "", 100, time_split());
        auto const text = out.str();
        auto const run = folder.path().string();
        CHECK_THAT(text, ContainsSubstring("Finished after generation 4 of 4.\n"));
        CHECK_THAT(text, ContainsSubstring("best cell  22: fitness 2.000"));
        CHECK_THAT(text, ContainsSubstring("from generation 4\n             x 0.900, y 0.500\n"));
        CHECK_THAT(text, ContainsSubstring("coverage   5 of 25 cells (20 %)\n"));
        CHECK_THAT(text, ContainsSubstring("QD score   50.00 (offset -10)\n"));
        // Those of the last row, as in the map file: the state has begun the next generation.
        CHECK_THAT(text, ContainsSubstring("episodes   500 (1 diverged), 54,321 steps\n"));
        CHECK_THAT(text, ContainsSubstring("-2.000 .:-=+*#%@ 2.000\n"));
        CHECK_THAT(text, ContainsSubstring("physics                     10.0      12.0      14.0   "
                                           "2 workers\n"));
        CHECK_THAT(text, ContainsSubstring("waiting                      0.0       1.5       3.0"));
        CHECK_THAT(text, ContainsSubstring("update                                 1.5"));
        CHECK_THAT(text, ContainsSubstring("mees_inspect summary " + run + "\n"));
        CHECK_THAT(text, EndsWith("mees_replay " + run + " --cell best\n"));
    }
    SECTION("beyond the generations that were asked for")
    {
        report.finish(reached(5), "", 100, time_split());
        CHECK_THAT(out.str(), ContainsSubstring("Finished: generation 5 (4 requested).\n"));
    }
    SECTION("stopped early")
    {
        report.finish(reached(2), "signal SIGUSR1", 100, time_split());
        CHECK_THAT(out.str(), ContainsSubstring(
                                  "Stopped by signal SIGUSR1 after generation 2 of 4.\n"
                                  "The state is saved: run the same command again to resume.\n"));
    }
    SECTION("before anything was evaluated")
    {
        report.finish(initial_state(*problem()), "signal SIGTERM", 0, {});
        CHECK_THAT(out.str(), EndsWith("Stopped by signal SIGTERM before the first controller was "
                                       "evaluated. Run the same command again to start.\n"));
    }
}
