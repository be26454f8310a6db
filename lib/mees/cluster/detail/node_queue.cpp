#include "mees/cluster/detail/node_queue.hpp"

#include "mees/cluster/detail/waiting.hpp"
#include "mees/core/error.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <new>

namespace mees {
namespace {

/// Items begin .. end - 1 in one word, so that an item can be taken at once. No two ranges of a
/// round are equal: a word that is compared and found unchanged has not changed.
struct Range {
    std::uint32_t begin{0};
    std::uint32_t end{0};

    [[nodiscard]] std::uint32_t size() const { return end - begin; }
};

constexpr unsigned half = 32;

constexpr std::uint64_t packed(Range range)
{
    return (std::uint64_t{range.begin} << half) | range.end;
}

constexpr Range unpacked(std::uint64_t word)
{
    return {static_cast<std::uint32_t>(word >> half), static_cast<std::uint32_t>(word)};
}

}  // namespace

bool Outbox::push(std::span<std::byte const> bytes)
{
    auto const written = written_.load(std::memory_order_relaxed);
    if (bytes.size() > capacity - (written - read_.load(std::memory_order_acquire))) {
        return false;
    }
    auto const begin = written % capacity;
    auto const first = std::min(bytes.size(), capacity - begin);
    std::ranges::copy(bytes.first(first), ring_ + begin);
    std::ranges::copy(bytes.subspan(first), ring_);
    written_.store(written + bytes.size(), std::memory_order_release);
    return true;
}

void Outbox::drain(std::vector<std::byte>& bytes)
{
    auto const read = read_.load(std::memory_order_relaxed);
    auto const written = written_.load(std::memory_order_acquire);
    std::span<std::byte const> const ring{ring_};
    auto const begin = read % capacity;
    auto const first = std::min(written - read, capacity - begin);
    auto const append = [&](std::span<std::byte const> part) {
        bytes.insert(bytes.end(), part.begin(), part.end());
    };
    append(ring.subspan(begin, first));
    append(ring.first(written - read - first));
    read_.store(written, std::memory_order_release);
}

/// At most two shares are there: the one that is being used up and the one that follows it.
struct NodeQueue::Head {
    alignas(cache_line) std::array<std::atomic<std::uint64_t>, 2> shares{};
    alignas(cache_line) std::atomic<std::int64_t> running{0};
    alignas(cache_line) std::atomic<std::uint32_t> version{0};
    alignas(cache_line) std::atomic<std::uint32_t> asking{0};
    std::atomic<std::uint32_t> closed{0};
    std::atomic<std::uint32_t> low{0};
    alignas(cache_line) std::atomic<std::uint32_t> inside{0};
    std::atomic<std::uint32_t> failed{0};
    std::atomic<std::uint32_t> messages{0};
};

struct NodeQueue::Worker {
    Outbox outbox;
    WorkerReport report;
};

std::int64_t NodeQueue::bytes_for(std::int64_t workers)
{
    return static_cast<std::int64_t>(sizeof(Head)
                                     + static_cast<std::size_t>(workers) * sizeof(Worker));
}

NodeQueue::NodeQueue(std::span<std::byte> memory, std::int64_t workers)
    : workers_{workers},
      head_{reinterpret_cast<Head*>(memory.data())},
      worker_{reinterpret_cast<Worker*>(memory.data() + sizeof(Head))}
{
    expects(std::ssize(memory) >= bytes_for(workers), "memory for a queue");
}

void NodeQueue::initialise()
{
    new (head_) Head;
    for (std::int64_t i = 0; i < workers_; ++i) {
        new (worker_ + i) Worker;  // without writing to the ring
    }
    prepare_round();
}

void NodeQueue::prepare_round()
{
    for (auto& share : head_->shares) {
        share.store(0, std::memory_order_relaxed);
    }
    head_->running.store(0, std::memory_order_relaxed);
    head_->closed.store(0, std::memory_order_relaxed);
    head_->low.store(0, std::memory_order_relaxed);
    head_->failed.store(0, std::memory_order_relaxed);
    head_->messages.store(0, std::memory_order_relaxed);
    head_->inside.store(static_cast<std::uint32_t>(workers_), std::memory_order_release);
}

std::optional<std::int64_t> NodeQueue::take()
{
    for (;;) {
        std::atomic<std::uint64_t>* first = nullptr;
        std::uint64_t word = 0;
        for (auto& share : head_->shares) {
            auto const seen = share.load(std::memory_order_acquire);
            if (unpacked(seen).size() > 0 && (first == nullptr || seen < word)) {
                first = &share;
                word = seen;
            }
        }
        if (first == nullptr) {
            return std::nullopt;
        }
        auto const range = unpacked(word);
        if (first->compare_exchange_weak(word, packed({range.begin + 1, range.end}),
                                         std::memory_order_acq_rel)) {
            head_->running.fetch_add(1, std::memory_order_relaxed);
            return range.begin;
        }
    }
}

std::int64_t NodeQueue::running() const
{
    return head_->running.load(std::memory_order_relaxed);
}

/// Whether there is room for a share, and few items are left.
bool NodeQueue::wanted() const
{
    std::uint32_t left = 0;
    bool room = false;
    for (auto const& share : head_->shares) {
        auto const size = unpacked(share.load(std::memory_order_relaxed)).size();
        left += size;
        room = room || size == 0;
    }
    return room && left <= head_->low.load(std::memory_order_relaxed) && !closed();
}

bool NodeQueue::low() const
{
    return head_->low.load(std::memory_order_relaxed) > 0 && wanted();
}

bool NodeQueue::try_ask()
{
    std::uint32_t nobody = 0;
    if (!head_->asking.compare_exchange_strong(nobody, 1, std::memory_order_acq_rel)) {
        return false;
    }
    if (!wanted()) {  // another has asked since the caller looked
        head_->asking.store(0, std::memory_order_release);
        return false;
    }
    return true;
}

void NodeQueue::add(Share const& share, bool last)
{
    expects(share.end <= std::numeric_limits<std::uint32_t>::max(), "a countable share");
    head_->low.store(static_cast<std::uint32_t>(share.low), std::memory_order_relaxed);
    if (!share.empty()) {
        auto const room = std::ranges::find_if(head_->shares, [](auto const& other) {
            return unpacked(other.load(std::memory_order_relaxed)).size() == 0;
        });
        expects(room != head_->shares.end(), "one share in advance");
        room->store(packed({static_cast<std::uint32_t>(share.begin),
                            static_cast<std::uint32_t>(share.end)}),
                    std::memory_order_release);
    }
    head_->closed.store(last ? 1 : 0, std::memory_order_release);
    head_->asking.store(0, std::memory_order_release);
    head_->version.fetch_add(1, std::memory_order_acq_rel);
    if (last) {
        wake_sleepers(head_->version);
    } else {
        // One more than needed: it asks for the next share.
        wake_sleepers(head_->version, static_cast<int>(share.size()) + 1);
    }
}

bool NodeQueue::closed() const
{
    return head_->closed.load(std::memory_order_acquire) != 0;
}

std::uint32_t NodeQueue::version() const
{
    return head_->version.load(std::memory_order_acquire);
}

void NodeQueue::sleep(std::uint32_t seen, std::chrono::milliseconds longest) const
{
    sleep_while_equal(head_->version, seen, longest);
}

bool NodeQueue::push(std::int64_t worker, std::span<std::byte const> result)
{
    head_->running.fetch_sub(1, std::memory_order_relaxed);
    return worker_[worker].outbox.push(result);
}

void NodeQueue::collect(std::vector<std::byte>& bytes)
{
    for (std::int64_t i = 0; i < workers_; ++i) {
        worker_[i].outbox.drain(bytes);
    }
}

void NodeQueue::count_message()
{
    head_->messages.fetch_add(1, std::memory_order_relaxed);
}

bool NodeQueue::leave(std::int64_t worker, WorkerReport const& report, bool failed)
{
    worker_[worker].report = report;
    if (failed) {
        head_->failed.store(1, std::memory_order_relaxed);
    }
    return head_->inside.fetch_sub(1, std::memory_order_acq_rel) == 1;
}

NodeQueue::Summary NodeQueue::finish()
{
    Summary summary{.reports = {},
                    .messages = head_->messages.load(std::memory_order_relaxed),
                    .failed = head_->failed.load(std::memory_order_relaxed) != 0};
    for (std::int64_t i = 0; i < workers_; ++i) {
        summary.reports.push_back(worker_[i].report);
    }
    prepare_round();
    return summary;
}

}  // namespace mees
