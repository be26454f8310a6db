#include "catch.hpp"

#include "mees/cluster/chunk_planner.hpp"

#include <vector>

using mees::ChunkPlanner;

TEST_CASE("every item is given once, in order")
{
    for (double const seconds : {0.0, 1e-5, 1e-3, 1.0}) {
        for (std::int64_t const items : {0, 1, 7, 1000}) {
            ChunkPlanner planner{items, 3, seconds};
            std::int64_t given = 0;
            for (int turn = 0; !planner.exhausted(); ++turn) {
                auto const chunk = turn % 2 == 0 ? planner.next() : planner.next_queued();
                REQUIRE(chunk.begin == given);
                REQUIRE(chunk.end >= chunk.begin);
                given = chunk.end;
            }
            CHECK(given == items);
            CHECK(planner.next().empty());
        }
    }
}

TEST_CASE("long items go out one by one, short ones several at a time")
{
    ChunkPlanner one_by_one{10'000, 10, 0.2};
    CHECK(one_by_one.next().end == 1);
    // 20 ms is worth a message: 100 items of 200 us.
    ChunkPlanner short_items{10'000, 10, 2e-4};
    CHECK(short_items.next().end == 100);
    // Never more than a quarter of a worker's even share ...
    ChunkPlanner fewer_items{2'000, 10, 2e-4};
    CHECK(fewer_items.next().end == 50);
    // ... unless that takes less than 1 ms; then half of it.
    ChunkPlanner few_items{100, 10, 1e-5};
    CHECK(few_items.next().end == 5);
    ChunkPlanner unknown{10'000, 10, 0};
    CHECK(unknown.next().end == 1);
}

TEST_CASE("towards the end nothing is queued behind a running item")
{
    ChunkPlanner planner{50, 10, 0.2};
    CHECK_FALSE(planner.next_queued().empty());
    while (planner.remaining() > 40) {
        (void)planner.next();
    }
    CHECK(planner.next_queued().empty());
    CHECK(planner.remaining() == 40);
    CHECK_FALSE(planner.next().empty());
}

TEST_CASE("greedy scheduling with this plan stays near the bound for uneven items")
{
    // Lengths 1 .. 30 in a fixed scrambled order, 20 items for each of 16 workers.
    constexpr int workers = 16;
    constexpr int items = 20 * workers;
    std::vector<double> length(items);
    double total = 0;
    for (int i = 0; i < items; ++i) {
        length[static_cast<std::size_t>(i)] = 1 + (i * 7919) % 30;
        total += length[static_cast<std::size_t>(i)];
    }
    struct Worker {
        double free_at{0};
        std::vector<ChunkPlanner::Chunk> queue;
    };
    ChunkPlanner planner{items, workers, 1.0};
    std::vector<Worker> crew(workers);
    double makespan = 0;
    // Event by event: whoever is free first does the next item of its queue and is refilled.
    for (;;) {
        for (auto& worker : crew) {
            if (worker.queue.empty() && !planner.exhausted()) {
                worker.queue.push_back(planner.next());
            }
            if (worker.queue.size() == 1) {
                if (auto const chunk = planner.next_queued(); !chunk.empty()) {
                    worker.queue.push_back(chunk);
                }
            }
        }
        Worker* first = nullptr;
        for (auto& worker : crew) {
            if (!worker.queue.empty() && (first == nullptr || worker.free_at < first->free_at)) {
                first = &worker;
            }
        }
        if (first == nullptr) {
            break;
        }
        auto const chunk = first->queue.front();
        first->queue.erase(first->queue.begin());
        for (auto i = chunk.begin; i < chunk.end; ++i) {
            first->free_at += length[static_cast<std::size_t>(i)];
        }
        makespan = std::max(makespan, first->free_at);
    }
    CHECK(planner.exhausted());
    CHECK(makespan < total / workers + 30);
}
