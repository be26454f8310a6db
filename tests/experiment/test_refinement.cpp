#include "catch.hpp"
#include "mees/core/error.hpp"
#include "mees/experiment/refinement.hpp"
#include "mees/storage/map/file.hpp"
#include "storage/samples.hpp"

#include <filesystem>
#include <fstream>

using namespace mees;
using Catch::Matchers::ContainsSubstring;
using test::ScratchFolder;

namespace {

/// Elites in the cells 1 and 3 of 5.
EliteMap two_of_five()
{
    EliteMap map{BehaviourSpace{{5}, {0}, {5}}};
    for (double const bc : {1.5, 3.5}) {
        Elite elite;
        elite.bc = {bc};
        static_cast<void>(map.insert(std::move(elite)));
    }
    return map;
}

std::vector<std::int64_t> chosen(EliteMap const& map, std::string const& choice)
{
    std::vector<std::int64_t> numbers;
    for (auto const cell : choose_targets(map, choice)) {
        numbers.push_back(cell.value());
    }
    return numbers;
}

MapDocument refined_sample()
{
    auto document = test::sample_document(1);
    auto& refinement = document.refinement.emplace();
    refinement.map_sha256 = std::string(64, 'b');
    refinement.n_eval = 4;
    refinement.population = 6;
    refinement.progress.targets = {{.cell = CellId{2}, .done = true}};
    return document;
}

}  // namespace

TEST_CASE("cells to refine")
{
    using Numbers = std::vector<std::int64_t>;
    auto const map = two_of_five();
    CHECK(chosen(map, "empty") == Numbers{0, 2, 4});
    CHECK(chosen(map, "filled") == Numbers{1, 3});
    CHECK(chosen(map, "all") == Numbers{0, 1, 2, 3, 4});
    CHECK(chosen(map, "4,0,4") == Numbers{0, 4});
    for (auto const* choice : {"", "most", "1,", "1;2", "-1", "1.5", "99999999999999999999"}) {
        CHECK_THROWS_AS(choose_targets(map, choice), ConfigError);
    }
    CHECK_THAT(message_of<FileError>([&] { static_cast<void>(choose_targets(map, "2,5")); }),
               ContainsSubstring("cannot refine cell 5 (the map has the cells 0 to 4)"));

    EliteMap full{BehaviourSpace{{1}, {0}, {5}}};
    static_cast<void>(full.insert([] {
        Elite elite;
        elite.bc = {1};
        return elite;
    }()));
    CHECK_THAT(message_of<FileError>([&] { static_cast<void>(choose_targets(full, "empty")); }),
               ContainsSubstring("the map has no empty cells"));
    EliteMap const huge{BehaviourSpace{{1'000'000, 1'000'000}, {0, 0}, {5, 5}}};
    CHECK_THAT(message_of<ConfigError>([&] { static_cast<void>(choose_targets(huge, "all")); }),
               ContainsSubstring("these are 1000000000000 cells"));
}

TEST_CASE("a refinement resumes from its own file only")
{
    ScratchFolder const folder;
    auto const file = folder / "new.h5";
    auto const fresh = refined_sample();
    CHECK(resume_refinement(file, fresh, Existing::keep).run.restarts == fresh.run.restarts);
    write_map(file, fresh);
    CHECK(resume_refinement(file, fresh, Existing::keep).run.restarts == fresh.run.restarts + 1);

    auto other = fresh;
    other.refinement->population = 8;
    other.refinement->progress.targets.push_back({.cell = CellId{3}});
    CHECK_THAT(message_of<FileError>(
                   [&] { static_cast<void>(resume_refinement(file, other, Existing::keep)); }),
               ContainsSubstring("new.h5 exists and is not this refinement (--population was 6 and "
                                 "is 8; --cells are others)"));
    CHECK(resume_refinement(file, other, Existing::replace).refinement->population == 8);
    write_map(folder / "map.h5", test::sample_document(1));
    CHECK_THROWS_AS(resume_refinement(folder / "map.h5", fresh, Existing::keep), FileError);
    std::ofstream{folder / "text.h5"} << "mine";
    CHECK_THAT(message_of<FileError>([&] {
                   static_cast<void>(resume_refinement(folder / "text.h5", fresh, Existing::keep));
               }),
               ContainsSubstring("exists and is not this refinement"));
}

TEST_CASE("episodes of a refinement")
{
    SearchProblem problem{{}, NetworkShape{{3, 2}}, BehaviourSpace{{2}, {0}, {1}}, {}};
    problem.settings.es.population = 4096;
    problem.settings.algorithm.n_eval = 30;
    // As published, apart from the measurements: 100 steps of 2 x 2,048.
    CHECK(refinement_episodes(problem, {}, 1) == 409'600 + 10 * 30);
    problem.settings.es.population = 10;
    problem.settings.es.episodes_per_offspring = 2;
    CHECK(refinement_episodes(problem, {.steps = 5, .evaluate_every = 2}, 3)
          == 3 * (5 * 10 * 2 + 3 * 30));
}
