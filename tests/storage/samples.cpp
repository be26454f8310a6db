#include "storage/samples.hpp"

#include <fmt/format.h>

namespace mees::test {
namespace {

Eigen::VectorXf normals(Stream& stream, std::int64_t size)
{
    Eigen::VectorXf values(size);
    for (auto& value : values) {
        value = static_cast<float>(stream.normal());
    }
    return values;
}

Elite sample_elite(Stream& stream, SampleShape const& shape, NetworkShape const& network,
                   NoveltyArchive& archive)
{
    auto controller = std::make_shared<Controller>();
    controller->parameters = normals(stream, network.parameter_count());
    controller->normaliser.mean = normals(stream, network.inputs()).cast<double>();
    controller->normaliser.std =
        normals(stream, network.inputs()).cast<double>().cwiseAbs().array() + 0.1;
    Elite elite;
    elite.controller = controller;
    elite.bc = {stream.uniform(-1.5, 1.5), stream.uniform(-0.5, 2.5)};
    elite.fitness = 100 * stream.normal();
    elite.fitness_std = stream.uniform();
    elite.novelty = stream.uniform();
    elite.generation = Generation{stream.below(shape.generations)};
    if (stream.below(2) == 1) {
        elite.parent_cell = CellId{stream.below(40)};
        elite.archive_entry = archive.size();
        archive.add(elite.bc);
    }
    return elite;
}

Emitter sample_emitter(Stream& stream, NetworkShape const& network, std::int64_t index)
{
    Emitter emitter;
    emitter.theta = normals(stream, network.parameter_count());
    emitter.mode = static_cast<Mode>(index % 3);
    emitter.steps = stream.below(10);
    emitter.stagnation = stream.below(10);
    emitter.novelty = stream.uniform();
    if (index % 2 == 0) {
        emitter.optimiser.steps = emitter.steps;
        emitter.optimiser.first_moment = normals(stream, network.parameter_count());
        emitter.optimiser.second_moment = normals(stream, network.parameter_count()).cwiseAbs();
        emitter.parent_cell = CellId{stream.below(40)};
        emitter.bc = {stream.uniform(), stream.uniform()};
        emitter.archive_entry = 0;
    }
    return emitter;
}

GenerationRecord sample_record(Stream& stream, std::int64_t generation, std::int64_t coverage)
{
    GenerationRecord record;
    record.generation = Generation{generation};
    record.mode = static_cast<Mode>(stream.below(3));
    if (generation > 0) {
        record.parent_cell = CellId{stream.below(40)};
    }
    record.cell = CellId{stream.below(40)};
    record.fitness = stream.normal();
    record.fitness_std = stream.uniform();
    record.novelty = stream.uniform();
    record.inserted = stream.below(2);
    record.best = stream.normal();
    record.coverage = coverage;
    record.qd_score = stream.normal();
    record.weight = stream.uniform();
    record.episodes = 100 * (generation + 1);
    record.steps = 5000 * (generation + 1);
    record.diverged = generation;
    return record;
}

}  // namespace

MapDocument sample_document(std::uint64_t seed, SampleShape const& shape)
{
    Stream stream{seed, Purpose::test, Generation{0}};
    NetworkShape const network{shape.layers};
    BehaviourSpace const space{std::vector<std::int64_t>{8, 5}, {-1.0, 0.0}, {1.0, 2.0}};
    NoveltyArchive archive{2, {7, NoveltyMetric::squared}};
    archive.add(std::vector{0.25, 0.5});
    EliteMap map{space};
    while (map.filled() < shape.elites) {
        map.insert(sample_elite(stream, shape, network, archive));
    }
    State state{std::move(map), std::move(archive), ObservationMoments::prior(network.inputs())};
    state.observations.add(std::vector<double>(static_cast<std::size_t>(network.inputs()), 0.3));
    for (std::int64_t i = 0; i < shape.emitters; ++i) {
        state.emitters.push_back(sample_emitter(stream, network, i));
    }
    for (std::int64_t g = 0; g < shape.generations; ++g) {
        state.history.push_back(sample_record(stream, g, state.map.filled()));
    }
    state.generation = Generation{shape.generations};
    state.active = shape.emitters > 0 ? std::optional{shape.emitters - 1} : std::nullopt;
    state.nsra = {0.55, 12.5, 3};
    state.episodes = 100 * shape.generations + 7;
    state.steps = 5000 * shape.generations + 11;
    state.diverged = shape.generations;

    RunInfo run;
    run.mees_version = "0.1.0";
    run.git_commit = "0123abc";
    run.mujoco_version = "3.14.0";
    run.model_sha256 = std::string(64, 'a');
    run.domain = "point_maze";
    run.algorithm = "me-es";
    run.seed = static_cast<std::int64_t>(seed);
    run.wall_seconds = 12.5;
    run.restarts = 2;
    run.config = "[run]\nseed = 1\n# grün\n";
    std::vector<GenerationTiming> const timing(state.history.size(), {0.5, 3});
    return {run, {"x", "final y"}, network, -3.5, std::move(state), timing};
}

MapDocument next_generation(MapDocument document)
{
    auto& state = document.state;
    auto const generation = state.generation.value();
    Stream stream{static_cast<std::uint64_t>(document.run.seed), Purpose::test,
                  Generation{generation + 1}};
    auto elite =
        sample_elite(stream, {.generations = generation + 1}, document.network, state.archive);
    elite.fitness = 1000 + static_cast<double>(generation);
    if (generation % 2 == 1) {
        elite.optimiser = std::make_shared<OptimiserState>(OptimiserState{
            3, elite.controller->parameters.values(), elite.controller->parameters.values()});
    }
    state.map.insert(std::move(elite));
    state.map.set_novelty(state.map.elites().begin()->first, stream.uniform());
    state.history.push_back(sample_record(stream, generation, state.map.filled()));
    state.generation = Generation{generation + 1};
    document.timing.push_back({0.25, 2});
    return document;
}

}  // namespace mees::test
