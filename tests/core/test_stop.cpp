#include "catch.hpp"
#include "mees/core/stop.hpp"
#include "scratch_folder.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

using namespace mees;

TEST_CASE("a stop is requested by a file, a deadline or a signal")
{
    test::ScratchFolder const folder;
    auto const file = folder / "STOP";
    SECTION("a file")
    {
        StopToken stop{std::nullopt, file};
        CHECK_FALSE(stop.requested());
        std::ofstream{file} << "";
        std::this_thread::sleep_for(std::chrono::milliseconds{250});
        CHECK(stop.requested());
        CHECK(stop.reason() == StopReason::stop_file);
        std::filesystem::remove(file);
        CHECK(stop.requested());
    }
    SECTION("a deadline")
    {
        StopToken stop{StopToken::Clock::now() - std::chrono::seconds{1}, {}};
        CHECK(stop.requested());
        CHECK(stop.describe() == "the time limit");
    }
    SECTION("a signal")
    {
        install_signal_handlers();
        StopToken stop;
        CHECK_FALSE(stop.requested());
        std::raise(SIGUSR1);
        CHECK(stop.requested());
        CHECK(stop.describe() == "signal SIGUSR1");
        note_signal(0);
    }
}
