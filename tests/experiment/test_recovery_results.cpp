#include "catch.hpp"
#include "mees/core/error.hpp"
#include "mees/experiment/recovery_results.hpp"
#include "scratch_folder.hpp"

#include <filesystem>

using namespace mees;

namespace {

RecoveryDocument document()
{
    RecoveryDocument document;
    document.map_sha256 = std::string(64, 'a');
    return document;
}

RecoveryResult result(std::string damage, std::int64_t seed)
{
    RecoveryResult result;
    result.damage = std::move(damage);
    result.seed = seed;
    return result;
}

std::vector<std::pair<std::string, std::int64_t>> rows(std::filesystem::path const& file)
{
    std::vector<std::pair<std::string, std::int64_t>> rows;
    for (auto const& result : read_recoveries(file).results) {
        rows.emplace_back(result.damage, result.seed);
    }
    return rows;
}

}  // namespace

TEST_CASE("recovery results list the jobs that remain")
{
    test::ScratchFolder const folder;
    auto const file = folder.path() / "adapt.h5";
    RecoveryResults results{file, document(), {"J0", "J1"}, 2};
    auto jobs = results.jobs();
    REQUIRE(jobs.size() == 2);
    CHECK(jobs[1].damage == "J1");
    CHECK(jobs[1].variant == 2);
    CHECK(jobs[1].seeds == std::vector<std::int64_t>{0, 1});
    CHECK_FALSE(std::filesystem::exists(file));

    results.add({result("J0", 0), result("J0", 1)});
    CHECK(results.damages_done() == 1);
    CHECK(std::filesystem::exists(folder.path() / "adapt.csv"));
    jobs = RecoveryResults{file, document(), {"J0", "J1"}, 3}.jobs();
    REQUIRE(jobs.size() == 2);
    CHECK(jobs[0].variant == 1);
    CHECK(jobs[0].seeds == std::vector<std::int64_t>{2});
    CHECK(jobs[1].seeds == std::vector<std::int64_t>{0, 1, 2});
}

TEST_CASE("rows are in the order of the command line, whatever was done first")
{
    test::ScratchFolder const folder;
    auto const file = folder.path() / "adapt.h5";
    RecoveryResults{file, document(), {"J9"}, 1}.add({result("J9", 0)});
    RecoveryResults{file, document(), {"J0", "J1"}, 2}.add({result("J1", 0), result("J1", 1)});
    RecoveryResults results{file, document(), {"J0", "J1"}, 2};
    results.add({result("J0", 0), result("J0", 1)});
    CHECK(rows(file)
          == std::vector<std::pair<std::string, std::int64_t>>{
              {"J0", 0}, {"J0", 1}, {"J1", 0}, {"J1", 1}, {"J9", 0}});
    CHECK(results.results().size() == 4);
    CHECK(results.jobs().empty());
}

TEST_CASE("results of another map or other settings are refused and kept")
{
    test::ScratchFolder const folder;
    auto const file = folder.path() / "adapt.h5";
    RecoveryResults{file, document(), {"J0"}, 1}.add({result("J0", 0)});
    auto other = document();
    other.settings.optimiser.kappa = 0.5;
    CHECK_THROWS_AS((RecoveryResults{file, other, {"J0"}, 1}), FileError);
    other = document();
    other.map_sha256 = std::string(64, 'b');
    CHECK_THROWS_AS((RecoveryResults{file, other, {"J0"}, 1}), FileError);
    other = document();
    other.run.model_sha256 = std::string(64, 'c');
    CHECK_THROWS_WITH((RecoveryResults{file, other, {"J0"}, 1}),
                      Catch::Contains("the model's SHA-256 was  and is cccc"));
    other = document();
    other.settings.optimiser.alpha = 0.9;
    CHECK_THROWS_AS((RecoveryResults{file, other, {"J0"}, 1}), FileError);
    CHECK(rows(file).size() == 1);
    CHECK_THROWS_AS((RecoveryResults{folder.path() / "none" / "adapt.h5", document(), {"J0"}, 1}),
                    FileError);
}

TEST_CASE("other results and tables are replaced only if asked")
{
    test::ScratchFolder const folder;
    auto const file = folder.path() / "adapt.h5";
    auto const csv = folder.path() / "adapt.csv";
    write_file(csv, "mine");
    CHECK_THROWS_WITH((RecoveryResults{file, document(), {"J0"}, 1}),
                      Catch::Contains("adapt.csv") && Catch::Contains("--force"));
    RecoveryResults{file, document(), {"J0"}, 1, Existing::replace}.add({result("J0", 0)});
    CHECK(std::filesystem::file_size(csv) > 10);

    // The same results are resumed all the same, others are replaced.
    CHECK(RecoveryResults{file, document(), {"J0"}, 1, Existing::replace}.jobs().empty());
    auto other = document();
    other.map_sha256 = std::string(64, 'b');
    CHECK_THROWS_AS((RecoveryResults{file, other, {"J0"}, 1}), FileError);
    CHECK(RecoveryResults{file, other, {"J0"}, 1, Existing::replace}.jobs().size() == 1);
    CHECK(rows(file).size() == 1);
}
