#pragma once

#include <httplib.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace mees::viewer {

/// Threads that answer requests: started when needed, up to a limit. A stream of events holds one
/// for as long as its page is open.
class RequestThreads final : public httplib::TaskQueue {
  public:
    explicit RequestThreads(std::size_t most) : most_{most} {}

    void enqueue(std::function<void()> task) override
    {
        std::lock_guard const lock{mutex_};
        tasks_.push_back(std::move(task));
        if (idle_ < tasks_.size() && threads_.size() < most_) {
            threads_.emplace_back([this] { work(); });
        }
        wake_.notify_one();
    }
    void shutdown() override
    {
        {
            std::lock_guard const lock{mutex_};
            stopped_ = true;
        }
        wake_.notify_all();
        for (auto& thread : threads_) {
            thread.join();
        }
    }

  private:
    void work()
    {
        while (true) {
            std::function<void()> task;
            {
                std::unique_lock lock{mutex_};
                ++idle_;
                wake_.wait(lock, [this] { return stopped_ || !tasks_.empty(); });
                --idle_;
                if (tasks_.empty()) {
                    return;
                }
                task = std::move(tasks_.front());
                tasks_.pop_front();
            }
            task();
        }
    }

    std::size_t most_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::function<void()>> tasks_;
    std::vector<std::thread> threads_;
    std::size_t idle_{0};
    bool stopped_{false};
};

}  // namespace mees::viewer
