#include "catch.hpp"

#include "mees/cluster/detail/node_queue.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

using namespace mees;

namespace {

/// A queue in memory of this process.
class Queue {
  public:
    explicit Queue(std::int64_t workers)
        : memory_(static_cast<std::size_t>(NodeQueue::bytes_for(workers) + cache_line)),
          queue_{aligned(), workers}
    {
        queue_.initialise();
    }
    NodeQueue* operator->() { return &queue_; }
    NodeQueue& operator*() { return queue_; }

  private:
    std::span<std::byte> aligned()
    {
        void* begin = memory_.data();
        auto room = memory_.size();
        REQUIRE(std::align(cache_line, 1, begin, room) != nullptr);
        return {static_cast<std::byte*>(begin), room};
    }

    std::vector<std::byte> memory_;
    NodeQueue queue_;
};

std::vector<std::byte> bytes_of(std::int64_t value)
{
    std::vector<std::byte> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

std::vector<std::int64_t> values_of(std::vector<std::byte> const& bytes)
{
    std::vector<std::int64_t> values(bytes.size() / sizeof(std::int64_t));
    if (!values.empty()) {
        std::memcpy(values.data(), bytes.data(), bytes.size());
    }
    return values;
}

void add(NodeQueue& queue, Share const& share, bool last = false)
{
    REQUIRE(queue.try_ask());
    queue.add(share, last);
}

std::vector<std::int64_t> take_all(NodeQueue& queue)
{
    std::vector<std::int64_t> items;
    while (auto const item = queue.take()) {
        items.push_back(*item);
    }
    return items;
}

}  // namespace

TEST_CASE("items of two shares are taken in order")
{
    Queue queue{2};
    CHECK_FALSE(queue->take());
    add(*queue, {.begin = 0, .end = 4, .low = 2});
    CHECK(queue->take() == 0);
    CHECK_FALSE(queue->low());
    CHECK(queue->take() == 1);
    CHECK(queue->running() == 2);
    CHECK(queue->push(0, bytes_of(0)));
    CHECK(queue->running() == 1);
    CHECK(queue->low());
    add(*queue, {.begin = 100, .end = 103, .low = 2});
    CHECK_FALSE(queue->low());
    CHECK(take_all(*queue) == std::vector<std::int64_t>{2, 3, 100, 101, 102});
    CHECK_FALSE(queue->closed());
    add(*queue, {}, true);
    CHECK(queue->closed());
    CHECK_FALSE(queue->low());
    CHECK_FALSE(queue->try_ask());
}

TEST_CASE("one worker at a time asks, and only if a share is needed")
{
    Queue queue{2};
    REQUIRE(queue->try_ask());
    CHECK_FALSE(queue->try_ask());
    auto const version = queue->version();
    queue->add({.begin = 0, .end = 2, .low = 0}, false);
    CHECK(queue->version() != version);
    CHECK_FALSE(queue->try_ask());
    CHECK(queue->take() == 0);
    CHECK(queue->take() == 1);
    // Not before the last item is run: a worker asks when it is idle.
    CHECK_FALSE(queue->low());
    CHECK(queue->try_ask());
}

TEST_CASE("an outbox keeps the order of results, wraps around, and refuses what does not fit")
{
    auto const box = std::make_unique<Outbox>();
    std::vector<std::byte> const third(Outbox::capacity / 3, std::byte{1});
    std::vector<std::byte> drained;
    for (int round = 0; round < 5; ++round) {
        REQUIRE(box->push(third));
        REQUIRE(box->push(bytes_of(round)));
        REQUIRE(box->push(third));
        CHECK_FALSE(box->push(third));
        drained.clear();
        box->drain(drained);
        REQUIRE(drained.size() == 2 * third.size() + sizeof(std::int64_t));
        drained.resize(third.size() + sizeof(std::int64_t));
        drained.erase(drained.begin(), drained.begin() + std::ssize(third));
        CHECK(values_of(drained) == std::vector<std::int64_t>{round});
    }
    CHECK_FALSE(box->push(std::vector<std::byte>(Outbox::capacity + 1)));
    CHECK(box->push(std::vector<std::byte>(Outbox::capacity)));
    drained.clear();
    box->drain(drained);
    CHECK(drained.size() == Outbox::capacity);
    box->drain(drained);
    CHECK(drained.size() == Outbox::capacity);
}

TEST_CASE("the last worker to leave reports for all, and the next round begins empty")
{
    Queue queue{2};
    add(*queue, {.begin = 0, .end = 8, .low = 4});
    CHECK(queue->take() == 0);
    CHECK(queue->push(1, bytes_of(0)));
    queue->count_message();
    CHECK_FALSE(queue->leave(1, {.rank = 7, .done = 1, .busy = 0.5}, true));
    CHECK(queue->leave(0, {.rank = 6}, false));
    std::vector<std::byte> results;
    queue->collect(results);
    CHECK(values_of(results) == std::vector<std::int64_t>{0});
    auto const summary = queue->finish();
    CHECK(summary.failed);
    CHECK(summary.messages == 1);
    REQUIRE(summary.reports.size() == 2);
    CHECK(summary.reports[0].rank == 6);
    CHECK(summary.reports[1].rank == 7);
    CHECK(summary.reports[1].done == 1);
    CHECK(summary.reports[1].busy == 0.5);

    CHECK_FALSE(queue->take());
    CHECK_FALSE(queue->closed());
    CHECK(queue->running() == 0);
    add(*queue, {.begin = 3, .end = 4, .low = 0}, true);
    CHECK(take_all(*queue) == std::vector<std::int64_t>{3});
    CHECK_FALSE(queue->leave(0, {}, false));
    CHECK(queue->leave(1, {}, false));
    CHECK_FALSE(queue->finish().failed);
}

namespace {

/// What rank 0 and the workers of one node do in a round; the worker that asks calls rank 0.
class FakeRound {
  public:
    FakeRound(NodeQueue& queue, std::int64_t items, double expected_seconds)
        : queue_{queue}, planner_{items, queue.workers(), 1, expected_seconds}
    {
    }

    /// A worker's part.
    void work(std::int64_t worker)
    {
        std::int64_t done = 0;
        for (;;) {
            auto const seen = queue_.version();
            bool const closed = queue_.closed();
            if (auto const item = queue_.take()) {
                run(worker, *item);
                ++done;
            } else if (closed) {
                break;
            } else if (queue_.try_ask()) {
                ask();
            } else {
                queue_.sleep(seen, std::chrono::milliseconds{50});
            }
        }
        if (queue_.leave(worker, {.rank = worker, .done = done}, false)) {
            send_results();
            summary_ = queue_.finish();
        }
    }

    [[nodiscard]] std::vector<std::int64_t> sorted_results()
    {
        std::ranges::sort(received_);
        return received_;
    }
    [[nodiscard]] std::int64_t messages() const { return messages_; }
    [[nodiscard]] NodeQueue::Summary const& summary() const { return summary_; }

  private:
    void run(std::int64_t worker, std::int64_t item)
    {
        if (queue_.low() && queue_.try_ask()) {
            ask();
        }
        if (!queue_.push(worker, bytes_of(item))) {
            send(bytes_of(item));
        }
    }
    void ask()
    {
        send_results();
        std::unique_lock lock{mutex_};
        auto const share = planner_.next(queue_.workers(), queue_.running());
        bool const last = planner_.exhausted();
        lock.unlock();
        queue_.add(share, last);
    }
    void send_results()
    {
        std::vector<std::byte> results;
        queue_.collect(results);
        send(results);
    }
    void send(std::vector<std::byte> const& results)
    {
        queue_.count_message();
        std::scoped_lock const lock{mutex_};
        auto const values = values_of(results);
        received_.insert(received_.end(), values.begin(), values.end());
        ++messages_;
    }

    NodeQueue& queue_;
    std::mutex mutex_;
    SharePlanner planner_;
    std::vector<std::int64_t> received_;
    std::int64_t messages_{0};
    NodeQueue::Summary summary_;
};

}  // namespace

TEST_CASE("workers that share a queue run every item once and lose no result", "[threads]")
{
    constexpr std::int64_t workers = 6;
    std::vector<std::int64_t> items(3000);
    std::iota(items.begin(), items.end(), std::int64_t{0});
    Queue queue{workers};
    for (double const expected_seconds : {0.0, 1e-4, 1e-2}) {
        FakeRound round{*queue, std::ssize(items), expected_seconds};
        std::vector<std::thread> threads;
        for (std::int64_t i = 0; i < workers; ++i) {
            threads.emplace_back([&round, i] { round.work(i); });
        }
        for (auto& thread : threads) {
            thread.join();
        }
        REQUIRE(round.sorted_results() == items);
        std::int64_t done = 0;
        for (auto const& report : round.summary().reports) {
            done += report.done;
        }
        CHECK(done == std::ssize(items));
        CHECK(round.summary().messages == round.messages());
        CHECK_FALSE(round.summary().failed);
    }
}
