#include "mees/storage/checkpoint/writer.hpp"

#include "mees/core/atomic_file.hpp"
#include "mees/core/log.hpp"
#include "mees/storage/checkpoint/detail/rotation.hpp"
#include "mees/storage/map/file.hpp"

#include <fmt/format.h>

#include <pthread.h>
#include <signal.h>

#include <utility>

namespace mees {
namespace {

Generation recorded_generation(MapDocument const& document)
{
    auto const& history = document.state.history;
    return history.empty() ? Generation{0} : history.back().generation;
}

/// A thread with all signals blocked: they are for the thread that runs the search.
template <class Work>
std::thread start_without_signals(Work work)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread thread{std::move(work)};
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
}

}  // namespace

CheckpointWriter::CheckpointWriter(std::filesystem::path folder, CheckpointSettings settings)
    : folder_{std::move(folder)}, settings_{settings}
{
    for (auto const* name : {map_name, previous_map_name, "config.toml"}) {
        remove_temporaries(folder_, std::filesystem::path{name}.stem().string());
    }
    remove_temporaries(folder_ / "checkpoints");
    thread_ = start_without_signals([this] { work(); });
}

CheckpointWriter::~CheckpointWriter()
{
    {
        std::lock_guard const lock{mutex_};
        ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

bool CheckpointWriter::is_kept(Generation generation) const
{
    return settings_.keep > 0 && generation.value() % settings_.keep == 0;
}

bool CheckpointWriter::due(Generation generation) const
{
    auto const passed = generation.value() - last_asked_.value();
    return (settings_.every_seconds > 0 && since_save_.seconds() >= settings_.every_seconds)
           || (settings_.every_generations > 0 && passed >= settings_.every_generations)
           || is_kept(generation);
}

void CheckpointWriter::save(MapDocument snapshot)
{
    last_asked_ = recorded_generation(snapshot);
    since_save_.restart();
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return !pending_ || !is_kept(recorded_generation(*pending_)); });
    pending_ = std::move(snapshot);
    changed_.notify_all();
}

std::optional<std::string> CheckpointWriter::wait()
{
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return !pending_ && !writing_; });
    return failure_;
}

std::optional<Generation> CheckpointWriter::saved() const
{
    std::lock_guard const lock{mutex_};
    return saved_;
}

void CheckpointWriter::work()
{
    std::unique_lock lock{mutex_};
    while (true) {
        changed_.wait(lock, [&] { return pending_ || ending_; });
        if (!pending_) {
            return;
        }
        auto const snapshot = std::exchange(pending_, std::nullopt);
        writing_ = true;
        changed_.notify_all();
        lock.unlock();

        std::optional<std::string> failure;
        try {
            write(*snapshot);
        } catch (std::exception const& error) {
            failure = error.what();
        }
        auto const generation = recorded_generation(*snapshot);
        report(generation, failure);

        lock.lock();
        failure_ = failure;
        if (!failure) {
            saved_ = generation;
        }
        writing_ = false;
        changed_.notify_all();
    }
}

void CheckpointWriter::write(MapDocument const& snapshot) const
{
    AtomicFile map{folder_ / map_name};
    write_map(map.temporary(), snapshot);
    keep_previous(folder_);
    map.commit();
    if (auto const generation = recorded_generation(snapshot); is_kept(generation)) {
        keep_copy(folder_ / map_name,
                  folder_ / "checkpoints" / fmt::format("gen_{:06}.h5", generation.value()));
    }
}

void CheckpointWriter::report(Generation generation,
                              std::optional<std::string> const& failure) const
{
    if (!failure) {
        log::info("checkpoint of generation {} written", generation.value());
        return;
    }
    auto const last = saved();
    log::warning(
        "the checkpoint of generation {} was not written: {} The run continues and will retry at "
        "the "
        "next checkpoint; {} is unchanged.",
        generation.value(), *failure,
        last ? fmt::format("the checkpoint of generation {}", last->value())
             : std::string{"the folder's checkpoint, if any,"});
}

}  // namespace mees
