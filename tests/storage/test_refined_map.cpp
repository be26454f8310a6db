#include "catch.hpp"
#include "mees/storage/diff.hpp"
#include "mees/storage/map/file.hpp"
#include "mees/storage/verify.hpp"
#include "storage/samples.hpp"

using namespace mees;
using test::sample_document;
using test::ScratchFolder;

TEST_CASE("a refinement that has not finished is read back")
{
    ScratchFolder const folder;
    auto document = sample_document(1);
    auto& refinement = document.refinement.emplace();
    refinement.map = "runs/a/map.h5";
    refinement.map_sha256 = std::string(64, 'b');
    refinement.seed = 3;
    refinement.n_eval = 4;
    refinement.population = 6;
    refinement.sigma = 0.25;
    refinement.learning_rate = 0.5;
    refinement.settings = {.steps = 9, .evaluate_every = 2, .cells_at_once = 5};
    refinement.conditions = {"domain.episode_steps = 7"};
    auto& progress = refinement.progress;
    progress.targets = {{.cell = CellId{2},
                         .start = CellId{5},
                         .done = true,
                         .was_filled = true,
                         .stored_fitness = -1.5,
                         .reached = true,
                         .fitness = 2.5,
                         .bc = {0.5, 1}},
                        {.cell = CellId{3}, .start = CellId{5}},
                        {.cell = CellId{39}}};
    progress.wave = 1;
    progress.step = 4;
    progress.episodes = 100;
    progress.steps = 2000;
    progress.diverged = 1;
    auto const& elite = document.state.map.elites().begin()->second;
    progress.pursuers = {{.target = 1,
                          .emitter = document.state.emitters[0],
                          .normaliser = elite.controller->normaliser}};
    write_map(folder / "a.h5", document);
    CHECK(verify(folder / "a.h5").empty());
    auto const read = read_map(folder / "a.h5").refinement.value();
    CHECK(read.map == refinement.map);
    CHECK(read.map_sha256 == refinement.map_sha256);
    CHECK(read.seed == 3);
    CHECK(read.n_eval == 4);
    CHECK(read.population == 6);
    CHECK(read.sigma == 0.25);
    CHECK(read.learning_rate == 0.5);
    CHECK(read.settings == refinement.settings);
    CHECK(read.conditions == refinement.conditions);
    CHECK(read.progress.wave == 1);
    CHECK(read.progress.steps == 2000);
    REQUIRE(read.progress.targets.size() == 3);
    auto const& first = read.progress.targets[0];
    CHECK((first.done && first.was_filled && first.reached && first.start == CellId{5}));
    CHECK(first.stored_fitness == -1.5);
    CHECK(first.bc == std::vector<double>{0.5, 1});
    CHECK_FALSE(read.progress.targets[2].start);
    auto const& pursuer = read.progress.pursuers.at(0);
    CHECK(pursuer.target == 1);
    CHECK(pursuer.emitter.steps == 4);
    CHECK(pursuer.emitter.theta == document.state.emitters[0].theta);
    CHECK(pursuer.emitter.optimiser.second_moment
          == document.state.emitters[0].optimiser.second_moment);
    CHECK(pursuer.normaliser == elite.controller->normaliser);
    write_map(folder / "b.h5", read_map(folder / "a.h5"));
    CHECK(diff(folder / "a.h5", folder / "b.h5").empty());

    progress.pursuers[0].target = 0;  // which is done
    write_map(folder / "c.h5", document);
    CHECK_THROWS_AS(read_map(folder / "c.h5"), FileError);
    progress.pursuers.clear();
    write_map(folder / "d.h5", document);
    CHECK_THROWS_AS(read_map(folder / "d.h5"), FileError);
}
