#include "catch.hpp"
#include "mees/core/error.hpp"
#include "mees/storage/diff.hpp"
#include "mees/storage/hdf5/file.hpp"
#include "mees/storage/navigation_file.hpp"
#include "mees/storage/recovery_file.hpp"
#include "mees/storage/verify.hpp"
#include "storage/samples.hpp"

#include <cmath>

using namespace mees;
using test::ScratchFolder;

namespace {

/// Two targets, 1 m and 2 m ahead, reached within 0.25 m: one action each; without learning the
/// second is not reached.
NavigationDocument navigation_sample()
{
    NavigationDocument document;
    document.run = test::sample_document(1).run;
    document.generation = Generation{40};
    document.map_sha256 = std::string(64, 'b');
    document.course.arena.boxes = {{{3, 3}, {4, 4}}};
    document.course.targets = {{1, 0}, {2, 0}};
    document.settings.planner.iterations = 70;
    document.settings.rest_seconds = 0.5;
    document.least_fitness = -3;
    NavigationStep const first{0, CellId{17}, {1.1, 0, 1, 0}, {1, 0}, false};
    NavigationStep const second{1, CellId{4}, {1.9, 0.1, 0, 1}, {2, 0}, false};
    NavigationStep const missed{1, CellId{4}, {1.3, 0.1, 0, 1}, {2, 0}, true};
    document.results = {{"J0", 0, true, {}, {first, second}},
                        {"J0", 0, false, {}, {first, missed}}};
    for (auto& result : document.results) {
        result.targets = results_of(result.steps, document.course);
    }
    return document;
}

}  // namespace

TEST_CASE("a navigation file is read back bit-identically")
{
    ScratchFolder const folder;
    auto const document = navigation_sample();
    CHECK(document.results[0].targets == std::vector<TargetResult>{{1, true, 0}, {1, true, 0}});
    CHECK(document.results[1].targets == std::vector<TargetResult>{{1, true, 0}, {1, false, 1}});
    CHECK(mean_actions(document.results[1], 100) == 50.5);
    write_navigation(folder / "nav.h5", document);
    auto const read = read_navigation(folder / "nav.h5");
    CHECK(read.results == document.results);
    CHECK(read.course == document.course);
    CHECK(read.settings == document.settings);
    CHECK(read.map_sha256 == document.map_sha256);
    CHECK(read.generation == Generation{40});
    CHECK(read.least_fitness == -3);
    write_navigation(folder / "again.h5", read);
    CHECK(diff(folder / "nav.h5", folder / "again.h5").empty());
    CHECK(verify(folder / "nav.h5").empty());
}

TEST_CASE("a navigation file may have used all elites, or not say which")
{
    ScratchFolder const folder;
    auto document = navigation_sample();
    for (auto const& least : {std::optional<double>{}, std::optional{-HUGE_VAL}}) {
        document.least_fitness = least;
        write_navigation(folder / "nav.h5", document);
        CHECK(read_navigation(folder / "nav.h5").least_fitness == least);
    }
    document.least_fitness = std::nan("");
    write_navigation(folder / "nav.h5", document);
    CHECK_THROWS_AS(read_navigation(folder / "nav.h5"), FileError);
}

TEST_CASE("a navigation file has the published layout")
{
    ScratchFolder const folder;
    write_navigation(folder / "nav.h5", navigation_sample());
    hdf5::Reader const file{folder / "nav.h5"};
    CHECK(file.text("/", "filetype") == "mees-navigation");
    CHECK(file.integer("/", "iterations") == 70);
    CHECK(file.texts("/results/damage") == std::vector<std::string>{"J0", "J0", "J0", "J0"});
    CHECK(file.values<std::int64_t>("/results/actions") == std::vector<std::int64_t>{1, 1, 1, 1});
    CHECK(file.values<std::uint8_t>("/results/reached") == std::vector<std::uint8_t>{1, 1, 1, 0});
    CHECK(file.values<std::uint8_t>("/results/learning") == std::vector<std::uint8_t>{1, 1, 0, 0});
    CHECK(file.values<std::int64_t>("/actions/cell") == std::vector<std::int64_t>{17, 4, 17, 4});
    CHECK(file.values<double>("/actions/x") == std::vector<double>{1.1, 1.9, 1.1, 1.3});
    CHECK(file.values<double>("/targets/x") == std::vector<double>{1, 2});
}

TEST_CASE("navigation files that contradict themselves are refused")
{
    ScratchFolder const folder;
    auto document = navigation_sample();
    document.results[0].targets[0].actions = 3;
    write_navigation(folder / "counts.h5", document);
    CHECK_THROWS_AS(read_navigation(folder / "counts.h5"), FileError);
    CHECK_FALSE(verify(folder / "counts.h5").empty());

    document = navigation_sample();
    document.results[1].steps.pop_back();
    write_navigation(folder / "steps.h5", document);
    CHECK_THROWS_AS(read_navigation(folder / "steps.h5"), FileError);

    document = navigation_sample();
    document.results[1].steps[1].target = 7;
    write_navigation(folder / "target.h5", document);
    CHECK_THROWS_AS(read_navigation(folder / "target.h5"), FileError);

    write_recoveries(folder / "adapt.h5", {});
    CHECK_THROWS_AS(read_navigation(folder / "adapt.h5"), FileError);
}
