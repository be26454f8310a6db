#include "catch.hpp"

#include "mees/cluster/detail/waiting.hpp"
#include "mees/core/stopwatch.hpp"

#include <ctime>
#include <thread>

using namespace mees;

TEST_CASE("waiting uses almost no processor time where ranks share cores")
{
    Backoff backoff{WaitPolicy::for_node(256, 2)};
    std::clock_t const before = std::clock();
    Stopwatch watch;
    while (watch.seconds() < 0.3) {
        backoff.pause();
    }
    double const busy = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    CHECK(busy < 0.03);
}

TEST_CASE("a wait spins at first where every rank has its own core")
{
    CHECK(WaitPolicy::for_node(2, 2).spin.count() > 0);
    CHECK(WaitPolicy::for_node(3, 2).spin.count() == 0);
}

TEST_CASE("a sleeper is woken by a change, and does not sleep on a word that has changed")
{
    std::atomic<std::uint32_t> word{0};
    std::jthread const waker{[&] {
        std::this_thread::sleep_for(std::chrono::milliseconds{50});
        word = 1;
        wake_sleepers(word);
    }};
    Stopwatch watch;
    while (word == 0) {
        sleep_while_equal(word, 0, std::chrono::milliseconds{10'000});
    }
    CHECK(watch.seconds() < 5);
    watch.restart();
    sleep_while_equal(word, 0, std::chrono::milliseconds{10'000});
    CHECK(watch.seconds() < 5);
    sleep_while_equal(word, 1, std::chrono::milliseconds{20});
    CHECK(watch.seconds() > 0.015);
}
