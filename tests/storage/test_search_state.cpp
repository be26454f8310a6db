#include "catch.hpp"
#include "mees/storage/diff.hpp"
#include "mees/storage/map/file.hpp"
#include "mees/storage/verify.hpp"
#include "storage/samples.hpp"

using namespace mees;
using test::sample_document;
using test::ScratchFolder;

TEST_CASE("candidates, optimisers of elites and a linear output are read back")
{
    ScratchFolder const folder;
    auto document = sample_document(1);
    document.network = NetworkShape{document.network.layers(), OutputActivation::linear};
    document.run.start_from = "other/map.h5 (sha256 00)";
    auto const& emitters = document.state.emitters;
    std::vector<std::pair<CellId, Elite>> elites{document.state.map.elites().begin(),
                                                 document.state.map.elites().end()};
    // Of three elites: with moments, without moments, none.
    elites[0].second.optimiser = std::make_shared<OptimiserState const>(emitters[0].optimiser);
    elites[1].second.optimiser = std::make_shared<OptimiserState const>(OptimiserState{.steps = 7});
    for (auto const& [cell, elite] : elites) {
        document.state.map.restore(cell, elite);
    }
    document.state.candidates = {
        {elites[2].second.controller, elites[0].first, elites[0].second.optimiser},
        {elites[3].second.controller, std::nullopt, nullptr}};
    write_map(folder / "a.h5", document);
    CHECK(verify(folder / "a.h5").empty());
    auto const read = read_map(folder / "a.h5");
    CHECK(read.network == document.network);
    CHECK(read.run.start_from == document.run.start_from);
    REQUIRE(read.state.candidates.size() == 2);
    auto const& first = read.state.candidates[0];
    CHECK(first.controller->parameters == elites[2].second.controller->parameters);
    CHECK(first.controller->normaliser == elites[2].second.controller->normaliser);
    CHECK(first.parent_cell == elites[0].first);
    CHECK(first.optimiser->steps == emitters[0].optimiser.steps);
    CHECK(first.optimiser->second_moment == emitters[0].optimiser.second_moment);
    CHECK(!read.state.candidates[1].parent_cell);
    CHECK(read.state.candidates[1].optimiser == nullptr);
    auto const optimiser_of = [&](std::size_t i) {
        return read.state.map.find(elites[i].first)->optimiser;
    };
    CHECK(optimiser_of(0)->first_moment == emitters[0].optimiser.first_moment);
    CHECK(optimiser_of(1)->steps == 7);
    CHECK(optimiser_of(1)->first_moment.size() == 0);
    CHECK(optimiser_of(2) == nullptr);
    write_map(folder / "b.h5", read);
    CHECK(diff(folder / "a.h5", folder / "b.h5").empty());
}

TEST_CASE("thresholds, fitness of the archive and its window are read back")
{
    ScratchFolder const folder;
    auto document = sample_document(1);
    auto& state = document.state;
    auto const entries = state.archive.entries();
    std::vector<double> const bcs{entries.begin(), entries.end()};
    state.archive = NoveltyArchive{2, {.k = 3, .window = 2}};
    for (std::size_t i = 0; i < bcs.size(); i += 2) {
        state.archive.add(std::span{bcs}.subspan(i, 2));
        state.archive_fitness.push_back(0.5 * static_cast<double>(i));
    }
    state.thresholds = {{CellId{3}, -1.5}, {CellId{39}, 0.25}};
    write_map(folder / "a.h5", document);
    CHECK(verify(folder / "a.h5").empty());
    auto const read = read_map(folder / "a.h5");
    CHECK(read.state.thresholds == state.thresholds);
    CHECK(read.state.archive_fitness == state.archive_fitness);
    CHECK(read.state.archive.settings().window == 2);
    write_map(folder / "b.h5", read);
    CHECK(diff(folder / "a.h5", folder / "b.h5").empty());
}

namespace {

/// A distribution of `width` numbers; with a mean, its covariance is a matrix.
CmaState sample_cma(Stream& stream, std::int64_t width, bool has_mean)
{
    auto cma = has_mean ? initial_cma(width, 0.3) : initial_separable_cma(width, 0.3);
    cma.updates = 5;
    for (auto* values : {&cma.mean, &cma.step_path, &cma.covariance_path, &cma.covariance}) {
        for (auto& value : *values) {
            value = stream.uniform() + 0.1;
        }
    }
    return cma;
}

}  // namespace

TEST_CASE("what CMA-ES keeps for each emitter is read back")
{
    ScratchFolder const folder;
    auto document = sample_document(1);
    auto& emitters = document.state.emitters;
    Stream stream{1, Purpose::test, Generation{0}};
    bool const has_mean = GENERATE(false, true);
    auto const width = has_mean ? 3 : document.network.parameter_count();
    for (auto& emitter : emitters) {
        emitter.cma = sample_cma(stream, width, has_mean);
    }
    write_map(folder / "a.h5", document);
    CHECK(verify(folder / "a.h5").empty());
    auto const read = read_map(folder / "a.h5");
    for (std::size_t i = 0; i < emitters.size(); ++i) {
        auto const& cma = read.state.emitters[i].cma;
        CHECK(cma.sigma == 0.3);
        CHECK(cma.updates == 5);
        CHECK(cma.mean == emitters[i].cma.mean);
        CHECK(cma.step_path == emitters[i].cma.step_path);
        CHECK(cma.covariance_path == emitters[i].cma.covariance_path);
        CHECK(cma.covariance == emitters[i].cma.covariance);
    }
    write_map(folder / "b.h5", read);
    CHECK(diff(folder / "a.h5", folder / "b.h5").empty());
}
