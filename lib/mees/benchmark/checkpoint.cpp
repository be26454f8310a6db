#include "mees/benchmark/bench.hpp"
#include "mees/benchmark/detail/subjects.hpp"
#include "mees/benchmark/goals.hpp"
#include "mees/benchmark/spawn.hpp"
#include "mees/core/atomic_file.hpp"
#include "mees/core/stopwatch.hpp"
#include "mees/es/noise_table.hpp"
#include "mees/experiment/problem.hpp"
#include "mees/storage/checkpoint/writer.hpp"
#include "mees/storage/map/changes.hpp"
#include "mees/storage/map/file.hpp"

#include <fmt/format.h>

#include <atomic>
#include <thread>

namespace mees::bench {
namespace {

/// An Ant map with `elites` filled cells, each with its own controller.
MapDocument full_map(std::int64_t elites)
{
    auto const settings = paper_settings("ant");
    auto const domain = domain_of(settings);
    auto const problem = problem_of(settings);
    RunInfo info;
    info.domain = "ant";
    info.algorithm = "me-es";
    info.model_sha256 = domain->spec().model_sha256;
    MapDocument document{info, domain->spec().bc_names, problem->network,
                         0,    initial_state(*problem), {}};
    auto& state = document.state;
    auto const parameters = problem->network.parameter_count();
    auto const noise = make_noise_table(2 * parameters, 42, 1);
    Stream stream{1, Purpose::test, Generation{0}};
    for (std::int64_t i = 0; i < elites; ++i) {
        Elite elite;
        Eigen::VectorXf theta =
            state.emitters[0].theta
            + Eigen::Map<Eigen::VectorXf const>{
                noise.data() + draw_offset(stream, 2 * parameters, parameters).value(), parameters};
        elite.controller = std::make_shared<Controller>(
            Controller{std::move(theta), state.observations.normaliser()});
        auto const bins = problem->space.bins_of(CellId{i});
        for (auto const bin : bins) {
            elite.bc.push_back((bin + 0.5) / 10);
        }
        elite.fitness = stream.normal();
        elite.inserted = i;
        state.map.restore(CellId{i}, std::move(elite));
    }
    return document;
}

/// One of every hundred elites has become fitter, with another controller.
MapDocument changed_map(MapDocument document)
{
    auto& map = document.state.map;
    auto const elites = map.elites();
    std::int64_t number = 0;
    for (auto const& [cell, old] : elites) {
        if (number++ % 100 == 0) {
            auto elite = old;
            auto controller = *old.controller;
            controller.parameters = 1.01F * controller.parameters.values();
            elite.controller = std::make_shared<Controller const>(std::move(controller));
            elite.fitness += 1;
            map.insert(std::move(elite));
        }
    }
    return document;
}

/// Seconds until a file is on disk.
template <class Write>
double seconds_to_save(std::filesystem::path const& path, Write const& write)
{
    Stopwatch const watch;
    AtomicFile file{path};
    write(file.temporary());
    file.commit();
    return watch.seconds();
}

/// A map, and the changes of 1 % of its elites, in turns.
void measure_changes(Table& table, MapDocument const& document, std::filesystem::path const& folder)
{
    auto const name = fmt::format("{} elites", document.state.map.filled());
    auto const changed = changed_map(document);
    auto const map = folder / "map.h5";
    auto const changes = folder / "map.changes-000000.h5";
    std::vector<double> times;
    std::vector<double> complete;
    std::vector<double> partial;
    for (int i = 0; i < 3; ++i) {
        complete.push_back(seconds_to_save(map, [&](auto const& to) { write_map(to, document); }));
        ChangeOrigin const origin{state_id(hdf5::Reader{map}), Generation{0},
                                  document.state.map.insertions()};
        partial.push_back(
            seconds_to_save(changes, [&](auto const& to) { write_changes(to, changed, origin); }));
        times.push_back(100 * partial.back() / complete.back());
    }
    table.add("checkpoint", name + ": a complete map", "s", complete);
    table.add("checkpoint", name + ": changes of 1 %", "s", partial);
    table.add("checkpoint", name + ": changes of 1 %, share of its time", "%", times,
              goals::change_time);
    auto const bytes = [](auto const& path) {
        return static_cast<double>(std::filesystem::file_size(path));
    };
    table.add("checkpoint", name + ": changes of 1 %, share of its bytes", "%",
              {100 * bytes(changes) / bytes(map)}, goals::change_size);
}

/// A load that keeps every core busy and counts its work.
class BusySearch {
  public:
    BusySearch()
    {
        for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
            pool_.emplace_back([this](std::stop_token const& stop) { work(stop); });
        }
    }
    [[nodiscard]] std::int64_t done() const { return done_.load(std::memory_order_relaxed); }

  private:
    void work(std::stop_token const& stop)
    {
        double volatile value = 1;
        while (!stop.stop_requested()) {
            for (int i = 0; i < 20'000; ++i) {
                value = value * 0.999 + 0.001;
            }
            done_.fetch_add(1, std::memory_order_relaxed);
        }
    }

    std::atomic<std::int64_t> done_{0};
    std::vector<std::jthread> pool_;
};

/// What a checkpoint costs the search.
void measure_stall(Table& table, MapDocument const& document, std::filesystem::path const& folder)
{
    CheckpointSettings const cadence;
    CheckpointWriter writer{folder, cadence};
    BusySearch search;
    auto const pace = [&](double seconds) {
        auto const before = search.done();
        std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
        return static_cast<double>(search.done() - before) / seconds;
    };
    double const undisturbed = pace(2);
    auto const before = search.done();
    Stopwatch watch;
    auto snapshot = document;
    writer.save(std::move(snapshot));
    double const handing_over = watch.seconds();
    if (auto const failure = writer.wait()) {
        throw FileError{"cannot write the checkpoint", *failure,
                        "Choose a folder with more space with --folder."};
    }
    double const writing = watch.seconds();
    double const expected = 0.5 * (undisturbed + pace(2)) * writing;
    double const lost =
        std::max(0.0, 1 - static_cast<double>(search.done() - before) / expected) * writing;
    auto const name = fmt::format("{} elites", document.state.map.filled());
    table.add("checkpoint", name + ": handing it over", "s", {handing_over});
    table.add("checkpoint", name + ": writing it meanwhile", "s", {writing});
    table.add("checkpoint", name + ": stall, share of the cadence", "%",
              {100 * (handing_over + lost) / cadence.every_seconds}, goals::checkpoint_stall);
    auto const size = static_cast<double>(std::filesystem::file_size(folder / "map.h5"));
    table.add("checkpoint", name + ": file over raw data", "x",
              {size / static_cast<double>(raw_bytes(document))}, goals::checkpoint_size);
}

}  // namespace

void measure_checkpoint(Table& table, Options const& options)
{
    TemporaryFolder const folder{options.folder};
    auto const document = full_map(options.quick ? 500 : 10'000);
    measure_stall(table, document, folder.path());
    measure_changes(table, document, folder.path());
}

}  // namespace mees::bench
