#include "catch.hpp"
#include "mees/core/error.hpp"
#include "mees/storage/recovery_file.hpp"
#include "mees/storage/trial_file.hpp"
#include "storage/samples.hpp"

#include <unistd.h>

#include <filesystem>

using namespace mees;

namespace {

std::filesystem::path scratch()
{
    auto folder =
        std::filesystem::temp_directory_path() / ("mees-trials-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    return folder / "adapt.h5";
}

TrialDocument sample()
{
    TrialDocument document;
    document.run = test::sample_document(1).run;
    document.generation = Generation{7};
    document.map_sha256 = {std::string(64, 'a'), std::string(64, 'b')};
    document.settings = {.rho = 0.1, .acquisition = Acquisition::std, .trials = 5, .alpha = 0.9};
    document.trials = {{{0, CellId{3}, 1.5, 0.25}, 0.1}, {{1, CellId{9}, -2, 4}, -7}};
    return document;
}

}  // namespace

TEST_CASE("the state of trials that are made elsewhere is read as it was written")
{
    auto const path = scratch();
    for (auto const& asked :
         {std::optional<Proposal>{}, std::optional{Proposal{1, CellId{4}, 2, 3}}}) {
        auto document = sample();
        document.asked = asked;
        write_trials(path, document);
        auto const read = read_trials(path);
        CHECK(read.generation == document.generation);
        CHECK(read.map_sha256 == document.map_sha256);
        CHECK(read.settings.rho == 0.1);
        CHECK(read.settings.acquisition == Acquisition::std);
        CHECK(read.settings.trials == 5);
        CHECK(read.settings.alpha == 0.9);
        CHECK(read.trials == document.trials);
        CHECK(read.asked == asked);
    }
    CHECK_THROWS_AS(read_recoveries(path), FileError);
    std::filesystem::remove_all(path.parent_path());
}

TEST_CASE("a trial of a map that does not exist is refused")
{
    auto const path = scratch();
    auto document = sample();
    document.map_sha256.pop_back();
    write_trials(path, document);
    CHECK_THROWS_AS(read_trials(path), FileError);
    std::filesystem::remove_all(path.parent_path());
}
