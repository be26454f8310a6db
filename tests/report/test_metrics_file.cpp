#include "catch.hpp"
#include "report/text_files.hpp"
#include "scratch_folder.hpp"

#include "mees/core/log.hpp"
#include "mees/report/metrics_file.hpp"

#include <fstream>
#include <stdexcept>

using namespace mees;

namespace {

GenerationRecord row(std::int64_t generation)
{
    GenerationRecord record;
    record.generation = Generation{generation};
    record.mode = generation == 0 ? Mode::other : Mode::explore;
    if (generation > 0) {
        record.parent_cell = CellId{3};
    }
    record.cell = CellId{7};
    record.fitness = -1.5 + static_cast<double>(generation);
    record.fitness_std = 0.1;
    record.novelty = 1.0 / 3.0;
    record.inserted = 1;
    record.best = 2;
    record.coverage = 4;
    record.qd_score = 8;
    record.weight = 0.5;
    record.episodes = 30 * (generation + 1);
    record.steps = 3000;
    record.diverged = 1;
    return record;
}

std::string const header =
    "generation,mode,parent_cell,cell,fitness,fitness_std,novelty,inserted,best,coverage,qd_score,"
    "qd_offset,weight,episodes,steps,diverged,seconds\n";
std::string const line_0 =
    "0,other,-1,7,-1.5,0.1,0.3333333333333333,1,2,4,8,-40,0.5,30,3000,1,2.5\n";
std::string const line_1 =
    "1,explore,3,7,-0.5,0.1,0.3333333333333333,1,2,4,8,-40,0.5,60,3000,1,0.25\n";

}  // namespace

TEST_CASE("metrics.csv gets a line at the end of every generation")
{
    mees::test::ScratchFolder const folder;
    auto const file = folder.path() / "metrics.csv";
    MetricsFile metrics{file, -40, {}, {}};
    CHECK(text_of(file) == header);
    metrics.append(row(0), 2.5);
    CHECK(text_of(file) == header + line_0);
    metrics.append(row(1), 0.25);
    CHECK(text_of(file) == header + line_0 + line_1);
}

TEST_CASE("on resume metrics.csv is rewritten from the checkpoint")
{
    mees::test::ScratchFolder const folder;
    auto const file = folder.path() / "metrics.csv";
    std::vector<GenerationRecord> const history{row(0)};
    std::vector<double> const seconds{2.5};
    for (auto const* before : {"", "torn li",
                               "longer by far than what the checkpoint knows of: "
                               "several generations that were not saved, so that "
                               "they will be made again\n1,2,3\n1,2,3\n4,5,6\n"
                               "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n"}) {
        std::ofstream{file} << before;
        MetricsFile metrics{file, -40, history, seconds};
        CHECK(text_of(file) == header + line_0);
        metrics.append(row(1), 0.25);
        CHECK(text_of(file) == header + line_0 + line_1);
    }
}

TEST_CASE("metrics.csv of another run is not changed")
{
    mees::test::ScratchFolder const folder;
    auto const file = folder.path() / "metrics.csv";
    bool ours = true;
    MetricsFile metrics{file, -40, {}, {}, [&] {
                            if (!ours) {
                                throw std::runtime_error{"not ours"};
                            }
                        }};
    std::ofstream{file} << "of another run";
    ours = false;
    CHECK_THROWS_WITH(metrics.append(row(0), 2.5), "not ours");
    CHECK(text_of(file) == "of another run");
}

TEST_CASE("a disk failure is logged once, and no row is missing afterwards")
{
    mees::test::ScratchFolder const folder;
    log::open_file(folder.path() / "log");
    auto const file = folder.path() / "gone" / "metrics.csv";
    MetricsFile metrics{file, -40, {}, {}};
    metrics.append(row(0), 2.5);
    CHECK(count_of(text_of(folder.path() / "log"), "metrics.csv (No such file") == 1);
    std::filesystem::create_directory(folder.path() / "gone");
    metrics.append(row(1), 0.25);
    log::close_file();
    CHECK(text_of(file) == header + line_0 + line_1);
    CHECK(count_of(text_of(folder.path() / "log"), "is complete again") == 1);
}
