#include "catch.hpp"
#include "mees/storage/diff.hpp"
#include "mees/storage/hdf5/file.hpp"
#include "mees/storage/map/file.hpp"
#include "mees/storage/recovery_file.hpp"
#include "mees/storage/verify.hpp"
#include "storage/samples.hpp"

#include <filesystem>
#include <fstream>

using namespace mees;
using test::ScratchFolder;

namespace {

RecoveryResult result(std::string damage, std::int64_t seed, double level)
{
    RecoveryResult result;
    result.damage = std::move(damage);
    result.seed = seed;
    result.best_cell = CellId{17};
    result.answer_cell = CellId{4};
    result.before = {level, 1.5};
    result.after = {2 * level, 0.25};
    result.episodes = 64;
    result.steps = 6400;
    for (std::int64_t i = 0; i <= seed; ++i) {
        result.trials.push_back({CellId{i}, level + 0.1, 0.3, level * static_cast<double>(i + 1)});
    }
    return result;
}

RecoveryDocument document()
{
    RecoveryDocument document;
    document.run = test::sample_document(1).run;
    document.run.wall_seconds = 12.5;
    document.run.restarts = 1;
    document.generation = Generation{40};
    document.map_sha256 = std::string(64, 'a');
    document.settings.optimiser.rho = 0.05;
    document.settings.optimiser.alpha = 0.9;
    document.settings.optimiser.acquisition = Acquisition::std;
    document.settings.episodes_per_trial = 3;
    document.results = {result("J0", 0, 10), result("J0", 1, 20),
                        result("lock:leg/hip,weak:J1=0.3", 0, -5)};
    return document;
}

}  // namespace

TEST_CASE("an adaptation file is read back bit-identically")
{
    ScratchFolder const folder;
    write_recoveries(folder / "adapt.h5", document());
    auto const read = read_recoveries(folder / "adapt.h5");
    CHECK(read.results == document().results);
    CHECK(read.map_sha256 == document().map_sha256);
    CHECK(read.generation == Generation{40});
    CHECK(read.settings.optimiser.rho == 0.05);
    CHECK(read.settings.optimiser.alpha == 0.9);
    CHECK(read.settings.optimiser.acquisition == Acquisition::std);
    CHECK(read.settings.episodes_per_trial == 3);
    CHECK(read.run.restarts == 1);

    write_recoveries(folder / "again.h5", read);
    CHECK(diff(folder / "adapt.h5", folder / "again.h5").empty());
    CHECK(verify(folder / "adapt.h5").empty());
}

TEST_CASE("an adaptation file has the published layout")
{
    ScratchFolder const folder;
    write_recoveries(folder / "adapt.h5", document());
    hdf5::Reader const file{folder / "adapt.h5"};
    CHECK(file.text("/", "filetype") == "mees-adaptation");
    CHECK(file.integers("/", "format_version") == std::vector<std::int64_t>{1, 0});
    CHECK(file.text("/", "map_sha256") == std::string(64, 'a'));
    CHECK(file.integer("/", "episodes") == 3 * 64);
    CHECK(file.texts("/results/damage")
          == std::vector<std::string>{"J0", "J0", "lock:leg/hip,weak:J1=0.3"});
    CHECK(file.values<std::int64_t>("/results/seed") == std::vector<std::int64_t>{0, 1, 0});
    CHECK(file.values<double>("/results/pre") == std::vector<double>{10, 20, -5});
    CHECK(file.values<double>("/results/pre_se") == std::vector<double>{1.5, 1.5, 1.5});
    CHECK(file.values<double>("/results/post") == std::vector<double>{20, 40, -10});
    CHECK(file.values<double>("/results/post_se") == std::vector<double>{0.25, 0.25, 0.25});
    CHECK(file.values<std::int64_t>("/results/trials") == std::vector<std::int64_t>{1, 2, 1});
    // Trials of 20 and 40 until 36; one of 10 and never 18; one of -5 and at least -11.
    CHECK(file.values<std::int64_t>("/results/trials_to_90")
          == std::vector<std::int64_t>{-1, 2, 1});
    CHECK(file.values<double>("/damage/J0/seed_1/fitness") == std::vector<double>{20, 40});
    CHECK(file.values<std::int64_t>("/damage/J0/seed_1/cell") == std::vector<std::int64_t>{0, 1});
    CHECK(file.values<double>("/damage/J0/seed_0/predicted") == std::vector<double>{10.1});
    CHECK(file.values<double>("/damage/J0/seed_0/variance") == std::vector<double>{0.3});
    CHECK(file.has("/damage/lock:leg%2Fhip,weak:J1=0.3/seed_0/fitness"));
}

TEST_CASE("an adaptation file is replaced and no other file remains")
{
    ScratchFolder const folder;
    auto grown = document();
    write_recoveries(folder / "adapt.h5", grown);
    grown.results.push_back(result("J7", 0, 1));
    write_recoveries(folder / "adapt.h5", grown);
    CHECK(read_recoveries(folder / "adapt.h5").results.size() == 4);
    CHECK(std::distance(std::filesystem::directory_iterator{folder.path()}, {}) == 1);
    CHECK_THROWS_AS(write_recoveries(folder / "missing" / "adapt.h5", grown), WriteError);
}

TEST_CASE("other files and damaged ones are rejected")
{
    ScratchFolder const folder;
    write_map(folder / "map.h5", test::sample_document(1));
    CHECK_THROWS_AS(read_recoveries(folder / "map.h5"), ForeignFile);
    write_recoveries(folder / "adapt.h5", document());
    CHECK_THROWS_AS(MapReader{folder / "adapt.h5"}, ForeignFile);
    auto const size = std::filesystem::file_size(folder / "adapt.h5");
    std::filesystem::resize_file(folder / "adapt.h5", size / 2);
    CHECK_THROWS_AS(read_recoveries(folder / "adapt.h5"), FileError);
    CHECK_FALSE(verify(folder / "adapt.h5").empty());
}

TEST_CASE("a file without results is a valid adaptation file")
{
    ScratchFolder const folder;
    auto empty = document();
    empty.results.clear();
    write_recoveries(folder / "adapt.h5", empty);
    CHECK(read_recoveries(folder / "adapt.h5").results.empty());
}
