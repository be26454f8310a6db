#include "catch.hpp"
#include "mees/core/stop.hpp"
#include "scratch_folder.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

using namespace mees;

// First: the next test polls.
TEST_CASE("before signals are polled the process ends at once, unless nohup started it")
{
    auto const status_after = [](int signal, bool ignored) {
        pid_t const child = ::fork();
        if (child == 0) {
            std::signal(SIGHUP, ignored ? SIG_IGN : SIG_DFL);
            install_signal_handlers();
            std::raise(signal);
            ::_exit(received_signal());
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    };
    CHECK(status_after(SIGTERM, false) == 75);
    CHECK(status_after(SIGINT, false) == 75);
    CHECK(status_after(SIGHUP, false) == 75);
    CHECK(status_after(SIGHUP, true) == 0);
    CHECK(status_after(SIGUSR1, false) == SIGUSR1);
}

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
        StopToken stop{TimeLimit{StopToken::Clock::now() - std::chrono::seconds{1}}, {}};
        CHECK(stop.requested());
        CHECK(stop.describe() == "the time limit");
        TimeLimit const soon{StopToken::Clock::now() + std::chrono::minutes{1},
                             std::chrono::seconds{50}};
        StopToken patient{soon, {}};
        patient.reserve([] { return 30.0; });
        CHECK_FALSE(patient.requested());
        StopToken slow{soon, {}};
        slow.reserve([] { return 70.0; });
        CHECK(slow.requested());
    }
    SECTION("a signal")
    {
        install_signal_handlers();
        signals_are_polled();
        for (int const signal : {SIGUSR1, SIGTERM, SIGHUP, SIGXCPU, SIGPWR}) {
            StopToken stop;
            CHECK_FALSE(stop.requested());
            std::raise(signal);
            CHECK(stop.requested());
            CHECK(stop.describe() == std::string{"signal SIG"} + sigabbrev_np(signal));
            note_signal(0);
        }
        std::raise(SIGXFSZ);
        CHECK(received_signal() == 0);
    }
}

TEST_CASE("a thread that waits for signals is woken by them, and by SIGCONT, which stops nothing")
{
    install_signal_handlers();
    signals_are_polled();
    constexpr std::chrono::seconds longest{20};
    auto const seconds_until = [&](auto const& event) {
        wait_for_signal(std::chrono::milliseconds{1});  // what happened before
        auto const begin = std::chrono::steady_clock::now();
        std::jthread const later{[&] {
            std::this_thread::sleep_for(std::chrono::milliseconds{20});
            event();
        }};
        wait_for_signal(longest);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    auto const before = continuations();
    CHECK(seconds_until([] { std::raise(SIGCONT); }) < 10);
    CHECK(continuations() == before + 1);
    CHECK_FALSE(StopToken{}.requested());
    CHECK(seconds_until(end_wait_for_signal) < 10);
    CHECK(seconds_until([] { std::raise(SIGTERM); }) < 10);
    CHECK(StopToken{}.requested());
    note_signal(0);
    wait_for_signal(std::chrono::milliseconds{1});
    auto const begin = std::chrono::steady_clock::now();
    wait_for_signal(std::chrono::milliseconds{1020});
    CHECK(std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds{1020});
}
