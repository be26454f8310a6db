#include "mees/core/error.hpp"
#include "mees/sim/recording/reference.hpp"
#include "mees/sim/registry.hpp"
#include "mees/sim/task.hpp"
#include "mees/storage/recording_file.hpp"

#include "catch.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

using namespace mees;

namespace {

std::vector<std::filesystem::path> recordings()
{
    std::vector<std::filesystem::path> files;
    for (auto const& entry : std::filesystem::directory_iterator{MEES_GOLDEN_DIR}) {
        if (entry.path().extension() == ".h5") {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

Recording any_recording()
{
    return read_recording(std::filesystem::path{MEES_GOLDEN_DIR} / "ant-1.h5");
}

/// Other versions of the engine agree on the model, and roughly on the first steps.
constexpr std::int64_t comparable_steps = 3;
constexpr double loose_tolerance = 0.05;

void shorten(Recording& recording, std::int64_t steps)
{
    auto const cut = [&](std::vector<double>& values) {
        values.resize(values.size() / static_cast<std::size_t>(recording.steps)
                      * static_cast<std::size_t>(steps));
    };
    for (auto* values : {&recording.action, &recording.qpos, &recording.qvel, &recording.reward,
                         &recording.terminated, &recording.bc, &recording.observation}) {
        cut(*values);
    }
    recording.steps = steps;
}

}  // namespace

TEST_CASE("every domain reproduces its recordings", "[golden]")
{
    auto const files = recordings();
    REQUIRE(files.size() == 19);
    for (auto const& file : files) {
        auto recording = read_recording(file);
        bool const same_engine = recording.engine_version == engine_version();
        if (!same_engine) {
            shorten(recording, comparable_steps);
        }
        auto const check = check_reference(recording, DomainRegistry{});
        for (auto const& deviation : check.model) {
            INFO(file.filename().string() << " model " << deviation.quantity);
            CHECK(deviation.early <= 1e-9);
        }
        for (auto const& deviation : check.trajectory) {
            INFO(file.filename().string() << " " << deviation.quantity);
            if (same_engine) {
                CHECK(deviation.early <= 1e-6);
            } else if (deviation.quantity == "qpos") {
                CHECK(deviation.early <= loose_tolerance);
            }
        }
        CHECK((check.passed() || !same_engine));
    }
}

TEST_CASE("a difference in any quantity is detected", "[golden]")
{
    if (any_recording().engine_version != engine_version()) {
        return;
    }
    auto const expect_deviation = [](Recording const& recording, std::string const& quantity) {
        auto const check = check_reference(recording, DomainRegistry{});
        CHECK_FALSE(check.passed());
        for (auto const* group : {&check.model, &check.trajectory}) {
            for (auto const& deviation : *group) {
                INFO(quantity << " changed, " << deviation.quantity << " looked at");
                if (deviation.quantity == quantity) {
                    CHECK(deviation.early == Approx(0.001).epsilon(1e-3));
                }
            }
        }
    };
    auto const changed = [](auto member, std::size_t at) {
        auto recording = any_recording();
        (recording.*member).at(at) += 0.001;
        return recording;
    };
    expect_deviation(changed(&Recording::initial_observation, 3), "initial_observation");
    expect_deviation(changed(&Recording::qpos, 15 * 99 + 14), "qpos");
    expect_deviation(changed(&Recording::qvel, 14 * 99), "qvel");
    expect_deviation(changed(&Recording::observation, 27 * 50 + 26), "observation");
    expect_deviation(changed(&Recording::reward, 99), "reward");
    expect_deviation(changed(&Recording::terminated, 99), "terminated");
    expect_deviation(changed(&Recording::bc, 4 * 10), "bc");
    auto heavier = any_recording();
    heavier.model.body_mass[5] += 0.001;
    expect_deviation(heavier, "body_mass");
}

TEST_CASE("a difference after the steps that must agree is reported but passes", "[golden]")
{
    auto recording = any_recording();
    if (recording.engine_version != engine_version()) {
        return;
    }
    recording.reward.at(100) += 0.5;
    auto const check = check_reference(recording, DomainRegistry{});
    CHECK(check.passed());
    auto const reward =
        std::find_if(check.trajectory.begin(), check.trajectory.end(),
                     [](Deviation const& deviation) { return deviation.quantity == "reward"; });
    CHECK(reward->early <= 1e-6);
    CHECK(reward->all == Approx(0.5));
    CHECK(reward->first_beyond == 100);
}

TEST_CASE("a recording that does not fit its domain is refused", "[golden]")
{
    auto unknown = any_recording();
    unknown.domain = "spider";
    CHECK_THROWS_AS(check_reference(unknown, DomainRegistry{}), FileError);
    auto other = any_recording();
    other.domain = "ant_maze";
    CHECK_THROWS_AS(check_reference(other, DomainRegistry{}), FileError);
    auto without_physics = any_recording();
    without_physics.domain = "sleep";
    CHECK_THROWS_AS(check_reference(without_physics, DomainRegistry{}), FileError);
    CHECK_THROWS_AS(read_recording(std::filesystem::path{MEES_GOLDEN_DIR} / "CMakeLists.txt"),
                    FileError);
}
