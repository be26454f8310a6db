#include "catch.hpp"

#include "mees/cluster/detail/share_planner.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <queue>
#include <vector>

using mees::Share;
using mees::SharePlanner;

TEST_CASE("every item is given once, in order, to nodes of any size")
{
    for (double const seconds : {0.0, 1e-5, 1e-3, 1.0}) {
        for (std::int64_t const items : {0, 1, 7, 1000}) {
            SharePlanner planner{items, 12, 3, seconds};
            constexpr std::array<std::int64_t, 3> workers{1, 3, 8};
            std::int64_t given = 0;
            for (std::size_t turn = 0; !planner.exhausted(); ++turn) {
                auto const share = planner.next(workers[turn % 3]);
                REQUIRE(share.begin == given);
                REQUIRE(share.end > share.begin);
                REQUIRE(share.low >= 0);
                given = share.end;
            }
            CHECK(given == items);
            CHECK(planner.next(1).empty());
        }
    }
}

TEST_CASE("shares hold what a node does in 200 ms, long items one for each worker")
{
    // 64 workers do 1,347 items of 9.5 ms.
    SharePlanner falling{400'000, 2'048, 32, 9.5e-3};
    auto const share = falling.next(64);
    CHECK(share.size() == 1'347);
    CHECK(share.low == 673);
    SharePlanner walking{100'000, 2'048, 32, 0.5};
    CHECK(walking.next(64).size() == 64);
    SharePlanner unknown{100'000, 2'048, 32, 0};
    CHECK(unknown.next(64).size() == 64);
    // At most 128 for each worker.
    SharePlanner tiny{1'000'000, 10, 2, 1e-6};
    CHECK(tiny.next(4).size() == 512);
    // Never more than a quarter of a node's even part: 50,000 / 10,000 x 64 / 4.
    SharePlanner few{50'000, 10'000, 157, 9.5e-3};
    CHECK(few.next(64).size() == 80);
}

TEST_CASE("idle workers get an item each, as many as are left")
{
    SharePlanner long_items{100, 640, 10, 0.5};
    CHECK(long_items.next(64, 0).size() == 64);
    CHECK(long_items.next(64, 40).size() == 24);
    CHECK(long_items.next(64, 0).size() == 12);
    SharePlanner unknown{160, 640, 10, 0};
    CHECK(unknown.next(64, 0).size() == 64);
    CHECK(unknown.next(64, 64).size() == 4);
}

TEST_CASE("the last shares are small and not asked for in advance")
{
    // 1 ms of 64 workers: 6 items of 9.5 ms. Two items are left for each worker.
    SharePlanner falling{1'280, 640, 10, 9.5e-3};
    auto const share = falling.next(64, 64);
    CHECK(share.size() == 6);
    CHECK(share.low == 0);
    // At most half of a node's even part.
    SharePlanner end{100, 640, 10, 9.5e-3};
    CHECK(end.next(64, 64).size() == 5);
    CHECK(end.next(64, 64).low == 0);
    // A node whose workers are all busy, or all but ten, when few items are left for each.
    SharePlanner busy{10'240, 640, 10, 9.5e-3};
    CHECK(busy.next(64, 64).low > 0);
    while (busy.remaining() > 2'560) {
        (void)busy.next(64, 64);
    }
    CHECK(busy.next(64, 64).size() == 6);
    CHECK(busy.next(64, 54).size() == 10);
    CHECK(busy.next(64, 54).low == 0);
    // 20 us for each of 157 nodes: 21 items. Half of a node's even part: 16.
    SharePlanner many_nodes{5'000, 10'000, 157, 9.5e-3};
    CHECK(many_nodes.next(64, 64).size() == 16);
    SharePlanner more{9'000, 10'000, 157, 9.5e-3};
    CHECK(more.next(64, 64).size() == 21);
    // One worker, or long items: one at a time.
    SharePlanner alone{30, 10, 10, 9.5e-3};
    CHECK(alone.next(1).size() == 1);
    CHECK(alone.next(1).low == 0);
    SharePlanner long_items{30, 640, 10, 0.5};
    CHECK(long_items.next(64, 64).size() == 1);
    // Unknown: one for every eight workers.
    SharePlanner unknown{160, 640, 10, 0};
    CHECK(unknown.next(64, 64).size() == 8);
}

TEST_CASE("a share has items for all lanes of a worker")
{
    SharePlanner planner{1'000, 4, 2, 0.5, 16};
    CHECK(planner.next(2).size() == 32);
    SharePlanner ending{64, 4, 2, 0.5, 16};
    CHECK(ending.next(2).size() == 16);
    // The same for nodes with one worker. Alone, an item of 0.2 s goes out one by one.
    auto const first = [](SharePlanner one_by_one) { return one_by_one.next(1).size(); };
    CHECK(first({10'000, 10, 10, 0.2, 8}) == 8);
    // Unknown times, too.
    CHECK(first({10'000, 10, 10, 0, 8}) == 8);
    // Where less remains, at most half of a worker's even part.
    CHECK(first({100, 10, 10, 0.2, 8}) == 5);
    CHECK(first({10, 10, 10, 0.2, 8}) == 1);
    // Short items go out in the larger of the two numbers: 200 ms of 5 ms each, and lanes.
    CHECK(first({10'000, 10, 10, 5e-3, 8}) == 40);
    CHECK(first({100'000, 10, 10, 2e-4, 500}) == 500);
}

TEST_CASE("greedy scheduling with this plan stays near the bound for uneven items")
{
    // Milliseconds 1 .. 30 in a fixed scrambled order, 20 items for each worker.
    auto const [nodes, each] = GENERATE(std::pair{1, 16}, std::pair{16, 1}, std::pair{8, 64});
    int const workers = nodes * each;
    int const items = 20 * workers;
    auto const length = [](std::int64_t i) { return 1.0 + static_cast<double>(i * 7919 % 30); };
    double total = 0;
    for (int i = 0; i < items; ++i) {
        total += length(i);
    }
    struct Node {
        std::vector<Share> shares;
        std::int64_t running{0};
        std::int64_t low{0};
        [[nodiscard]] std::int64_t left() const
        {
            return std::accumulate(shares.begin(), shares.end(), std::int64_t{0},
                                   [](auto sum, Share const& share) { return sum + share.size(); });
        }
    };
    SharePlanner planner{items, workers, nodes, 15.5e-3};
    std::vector<Node> cluster(static_cast<std::size_t>(nodes));
    // Event by event: the worker that is free first takes an item of its node, which asks for a
    // share if it has none, or few before the end.
    using Free = std::pair<double, int>;
    std::priority_queue<Free, std::vector<Free>, std::greater<>> free;
    for (int i = 0; i < workers; ++i) {
        free.emplace(0, i);
    }
    double makespan = 0;
    std::int64_t run = 0;
    while (!free.empty()) {
        auto const [now, worker] = free.top();
        free.pop();
        auto& node = cluster[static_cast<std::size_t>(worker / each)];
        if (now > 0) {
            --node.running;
        }
        if (!planner.exhausted() && node.left() <= node.low) {
            node.shares.push_back(planner.next(each, node.running));
            node.low = node.shares.back().low;
        }
        std::erase_if(node.shares, [](Share const& share) { return share.empty(); });
        if (!node.shares.empty()) {
            double const end = now + length(node.shares.front().begin++);
            ++run;
            ++node.running;
            makespan = std::max(makespan, end);
            free.emplace(end, worker);
        }
    }
    CHECK(run == items);
    CHECK(makespan < total / workers + 30);
}
