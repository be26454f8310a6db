#include "catch.hpp"
#include "mees/storage/diff.hpp"
#include "mees/storage/map/file.hpp"
#include "mees/storage/verify.hpp"
#include "storage/samples.hpp"

#include <algorithm>

using namespace mees;
using test::sample_document;
using test::ScratchFolder;

namespace {

ControllerPtr after(ControllerPtr const& before, Controller controller)
{
    controller.before = before;
    return std::make_shared<Controller const>(std::move(controller));
}

/// Six elites: 0 and 1 of one link, 2 and 3 of two with the same first link, 4 and 5 of three. The
/// emitter has a link that no elite has.
MapDocument chained_document()
{
    auto document = sample_document(1);
    auto const single = sample_document(2).state.map.elites();
    std::vector<std::pair<CellId, Elite>> elites{document.state.map.elites().begin(),
                                                 document.state.map.elites().end()};
    auto const link = [&](std::ptrdiff_t i) {
        return std::next(single.begin(), i)->second.controller;
    };
    auto const second = after(link(0), *link(1));
    for (std::size_t i = 2; i < elites.size(); ++i) {
        auto& controller = elites[i].second.controller;
        controller = after(i < 4 ? link(0) : second, *controller);
        document.state.map.restore(elites[i].first, elites[i].second);
    }
    document.state.emitters[0].before = second;
    document.state.emitters[1].before = link(2);
    document.state.candidates = {{elites[4].second.controller, std::nullopt, nullptr},
                                 {elites[0].second.controller, std::nullopt, nullptr}};
    return document;
}

ControllerPtr controller_of(MapDocument const& document, std::ptrdiff_t row)
{
    return std::next(document.state.map.elites().begin(), row)->second.controller;
}

bool same_chain(ControllerPtr const& a, ControllerPtr const& b)
{
    if (!a || !b) {
        return a == b;
    }
    return a->parameters == b->parameters && a->normaliser == b->normaliser
           && same_chain(a->before, b->before);
}

}  // namespace

TEST_CASE("chains are read back, with links shared as they were")
{
    ScratchFolder const folder;
    auto const document = chained_document();
    write_map(folder / "a.h5", document);
    CHECK(verify(folder / "a.h5").empty());
    auto const read = read_map(folder / "a.h5");
    MapReader const map{folder / "a.h5"};
    CHECK(map.links() == std::vector<std::int32_t>{1, 1, 2, 2, 3, 3});
    for (std::ptrdiff_t row = 0; row < 6; ++row) {
        CHECK(same_chain(controller_of(read, row), controller_of(document, row)));
        CHECK(same_chain(map.controller(row), controller_of(document, row)));
    }
    CHECK(controller_of(read, 2)->before == controller_of(read, 3)->before);
    CHECK(controller_of(read, 4)->before->before == controller_of(read, 2)->before);
    CHECK(read.state.emitters[0].before == controller_of(read, 5)->before);
    CHECK(same_chain(read.state.emitters[1].before, document.state.emitters[1].before));
    CHECK(same_chain(read.state.candidates[0].controller, document.state.candidates[0].controller));
    CHECK(links_of(read.state.candidates[1].controller) == 1);
    write_map(folder / "b.h5", read);
    CHECK(diff(folder / "a.h5", folder / "b.h5").empty());
}

TEST_CASE("a link is stored once, wherever it is in memory")
{
    ScratchFolder const folder;
    auto document = chained_document();
    write_map(folder / "a.h5", document);
    hdf5::Reader const file{folder / "a.h5"};
    auto const parameters = document.network.parameter_count();
    // link 0, the one after it, and the emitter's.
    CHECK(file.shape("/map/link_parameters") == hdf5::Shape{3, parameters});
    CHECK(file.values<std::int32_t>("/map/link_index", {6, 2})
          == std::vector<std::int32_t>{-1, -1, -1, -1, 0, -1, 0, -1, 0, 1, 0, 1});
    CHECK(file.values<std::int32_t>("/state/emitter/link_index", {2, 2})
          == std::vector<std::int32_t>{0, 1, 2, -1});
    // A copy of a link, as after resuming, is the same row.
    auto elite = std::next(document.state.map.elites().begin(), 3)->second;
    auto const cell = std::next(document.state.map.elites().begin(), 3)->first;
    auto const copy = std::make_shared<Controller const>(*elite.controller->before);
    elite.controller = after(copy, *elite.controller);
    document.state.map.restore(cell, elite);
    write_map(folder / "b.h5", document);
    CHECK(diff(folder / "a.h5", folder / "b.h5").empty());
}

TEST_CASE("a map without chains has no datasets of them")
{
    ScratchFolder const folder;
    write_map(folder / "a.h5", sample_document(1));
    hdf5::Reader const file{folder / "a.h5"};
    for (auto const& path : file.datasets()) {
        CHECK(path.find("link") == std::string::npos);
    }
    CHECK(MapReader{folder / "a.h5"}.links() == std::vector<std::int32_t>(6, 1));
}

TEST_CASE("a link that is not finite is not written")
{
    ScratchFolder const folder;
    auto document = chained_document();
    auto bad = *document.state.emitters[1].before;
    Eigen::VectorXf parameters = bad.parameters.values();
    parameters[0] = std::numeric_limits<float>::infinity();
    bad.parameters = parameters;
    document.state.emitters[1].before = std::make_shared<Controller const>(bad);
    CHECK_THROWS_AS(write_map(folder / "a.h5", document), WriteError);
    CHECK_FALSE(std::filesystem::exists(folder / "a.h5"));
}
