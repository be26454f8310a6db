#include "catch.hpp"

#include "mees/cluster/detail/cluster_watch.hpp"
#include "mees/cluster/detail/life_signs.hpp"

#include <array>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

using namespace mees;

namespace {

/// Signs of a leader and two ranks, which are all this process.
struct Node {
    std::array<LifeSign, 3> signs;

    Node()
    {
        for (std::size_t i = 0; i < signs.size(); ++i) {
            signs[i].rank = static_cast<std::int32_t>(10 + i);
            signs[i].process = getpid();
        }
    }
};

}  // namespace

TEST_CASE("a rank that does not beat is silent for the time that was waited")
{
    Node node;
    NodeWatch watch{node.signs};
    CHECK(watch.look(0.2).rank == -1);
    CHECK(watch.look(0.2).rank == 11);
    ++node.signs[1].beats;
    node.signs[2].episodes.add(7);
    auto const suspect = watch.look(5);
    CHECK(suspect.rank == 12);
    CHECK(suspect.silent_seconds == Approx(5.4));
    CHECK(suspect.ended == 0);
    CHECK(suspect.episodes.empty());
    watch.restart();
    CHECK(watch.look(0.2).rank == -1);
}

TEST_CASE("a rank whose process has ended is more alarming than one that is silent")
{
    Node node;
    pid_t const child = fork();
    if (child == 0) {
        _exit(0);
    }
    waitpid(child, nullptr, 0);
    node.signs[2].process = child;
    NodeWatch watch{node.signs};
    (void)watch.look(10);
    ++node.signs[2].beats;
    CHECK(watch.look(0.2).ended == 0);
    for (int const episode : {9, 4, 7, 5}) {
        node.signs[2].episodes.add(episode);
    }
    node.signs[2].episodes.remove(4);
    auto const suspect = watch.look(0.4);
    CHECK(suspect.rank == 12);
    CHECK(suspect.ended == 1);
    CHECK(suspect.episodes == std::vector<std::int64_t>{5, 7, 9});
    SECTION("but only where its number means the same process")
    {
        node.signs[2].kernel = 1;
        CHECK(watch.look(0.4).rank == 11);
    }
}

TEST_CASE("a rank shows the episodes that it runs")
{
    RunningEpisodes shown;
    shown.clear();
    CHECK(shown.list().empty());
    shown.add(70'000);
    shown.add(3);
    CHECK(shown.list() == std::vector<std::int64_t>{3, 70'000});
    shown.remove(70'000);
    shown.remove(70'000);
    CHECK(shown.list() == std::vector<std::int64_t>{3});
    shown.clear();
    CHECK(shown.list().empty());
    // As many as domain.batch allows; no more are counted.
    std::vector<std::int64_t> expected;
    for (std::int64_t episode = 0; episode < 10'000; ++episode) {
        shown.add(episode);
        expected.push_back(episode);
    }
    shown.add(10'000);
    CHECK(shown.list() == expected);
}

TEST_CASE("rank 0 hears of other nodes through their leaders")
{
    Node node;
    std::vector<RankInfo> infos(3);
    infos[1].rank = 1;
    infos[2].rank = 2;
    infos[2].leads_node = true;
    ClusterWatch watch{std::span{node.signs}.first(1), infos};
    CHECK(watch.look(2).rank == 2);
    CHECK(watch.look(3).silent_seconds == Approx(5));
    watch.heard(2, {});
    CHECK(watch.look(0.5).silent_seconds == Approx(0.5));
    watch.heard(2, {.rank = 1, .ended = 1, .silent_seconds = 0.4, .episodes = {3, 5}});
    auto const suspect = watch.look(1);
    CHECK(suspect.rank == 1);
    CHECK(suspect.ended == 1);
    CHECK(suspect.episodes == std::vector<std::int64_t>{3, 5});
}

TEST_CASE("time in which a process is stopped counts at most a second")
{
    AwakeClock clock;
    std::this_thread::sleep_for(std::chrono::milliseconds{1200});
    CHECK(clock.step() == Approx(1.0));
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
    CHECK(clock.step() < 0.9);
}
