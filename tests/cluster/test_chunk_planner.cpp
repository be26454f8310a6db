#include "catch.hpp"

#include "mees/cluster/detail/chunk_planner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
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
    // Rank 0 has 20 us for each of 3,000 workers: 60 ms, or four items of 15 ms ...
    ChunkPlanner many_workers{100'000, 3'000, 15e-3};
    CHECK(many_workers.next().end == 4);
    // ... but never more than a quarter of an even share.
    ChunkPlanner few_for_many{30'000, 3'000, 15e-3};
    CHECK(few_for_many.next().end == 2);
}

TEST_CASE("a worker that runs several episodes at once gets as many, as long as all have enough")
{
    // Alone, an item of 0.2 s goes out one by one.
    ChunkPlanner together{10'000, 10, 0.2, 8};
    CHECK(together.next().end == 8);
    CHECK(together.next_queued().end == 16);
    // Unknown times, too.
    CHECK(ChunkPlanner{10'000, 10, 0, 8}.next().end == 8);
    // Where less remains, at most half of a worker's even share.
    CHECK(ChunkPlanner{100, 10, 0.2, 8}.next().end == 5);
    CHECK(ChunkPlanner{10, 10, 0.2, 8}.next().end == 1);
    // Short items go out in the larger of the two numbers.
    CHECK(ChunkPlanner{10'000, 10, 2e-4, 8}.next().end == 100);
    CHECK(ChunkPlanner{100'000, 10, 2e-4, 500}.next().end == 500);
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
    // Milliseconds 1 .. 30 in a fixed scrambled order, 20 items for each worker; 2,000 workers get
    // two at a time in the beginning.
    int const workers = GENERATE(16, 2000);
    int const items = 20 * workers;
    std::vector<double> length(static_cast<std::size_t>(items));
    double total = 0;
    for (int i = 0; i < items; ++i) {
        length[static_cast<std::size_t>(i)] = 1 + (i * 7919) % 30;
        total += length[static_cast<std::size_t>(i)];
    }
    struct Worker {
        double free_at{0};
        std::vector<ChunkPlanner::Chunk> queue;
    };
    ChunkPlanner planner{items, workers, 15e-3};
    std::vector<Worker> crew(static_cast<std::size_t>(workers));
    double makespan = 0;
    // Event by event: the worker that is free first gets items, and does the first of its queue.
    for (;;) {
        auto& worker = *std::ranges::min_element(crew, {}, &Worker::free_at);
        if (worker.queue.empty() && !planner.exhausted()) {
            worker.queue.push_back(planner.next());
        }
        if (worker.queue.size() == 1) {
            if (auto const chunk = planner.next_queued(); !chunk.empty()) {
                worker.queue.push_back(chunk);
            }
        }
        if (worker.queue.empty()) {
            if (std::isinf(worker.free_at)) {
                break;
            }
            worker.free_at = std::numeric_limits<double>::infinity();
            continue;
        }
        auto const chunk = worker.queue.front();
        worker.queue.erase(worker.queue.begin());
        for (auto i = chunk.begin; i < chunk.end; ++i) {
            worker.free_at += length[static_cast<std::size_t>(i)];
        }
        makespan = std::max(makespan, worker.free_at);
    }
    CHECK(planner.exhausted());
    CHECK(makespan < total / workers + 30);
}
