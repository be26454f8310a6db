#include "mees/storage/checkpoint/writer.hpp"

#include "mees/core/atomic_file.hpp"
#include "mees/core/error.hpp"
#include "mees/core/log.hpp"
#include "mees/storage/checkpoint/detail/change_chain.hpp"
#include "mees/storage/checkpoint/detail/change_files.hpp"
#include "mees/storage/checkpoint/detail/rotation.hpp"
#include "mees/storage/map/file.hpp"

#include <fmt/format.h>

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace mees {
namespace {

Generation recorded_generation(MapDocument const& document)
{
    auto const& history = document.state.history;
    return history.empty() ? Generation{0} : history.back().generation;
}

/// Of the map in this file; nothing if it is not intact.
std::optional<Generation> generation_of(std::filesystem::path const& path,
                                        MapContent content = MapContent::complete)
{
    try {
        return MapReader{path, content}.generation();
    } catch (FileError const&) {
        return std::nullopt;
    }
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

/// A faster checkpoint causes no rest.
constexpr double shortest_that_rests = 1;
/// Rest after a checkpoint, in times of its duration: less than 5 % of the time is spent on them.
constexpr double rest_factor = 20;

}  // namespace

CheckpointWriter::CheckpointWriter(std::filesystem::path folder, CheckpointSettings settings,
                                   std::function<void()> require_folder)
    : folder_{std::move(folder)},
      settings_{settings},
      require_folder_{std::move(require_folder)},
      changes_{std::make_unique<ChangeChain>(folder_, settings_.changes_above_megabytes)}
{
    remove_old_temporaries(generation_of(folder_ / map_name));
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

/// Those of older states than `present`; without it none: one of them may be the newest state,
/// though it could not be read when the run resumed.
void CheckpointWriter::remove_old_temporaries(std::optional<Generation> present)
{
    if (!present) {
        return;
    }
    temporaries_removed_ = true;
    auto const remove = [&](auto const& paths, MapContent content) {
        for (auto const& path : paths) {
            if (generation_of(path, content) > present) {
                temporaries_removed_ = false;
                continue;
            }
            log::info("removing {}, left behind by a killed process", path.filename().string());
            std::error_code error;
            std::filesystem::remove(path, error);
        }
    };
    for (auto const* name : {map_name, previous_map_name}) {
        remove(temporaries(folder_, std::filesystem::path{name}.stem().string()),
               MapContent::complete);
    }
    remove(change_temporaries(folder_), MapContent::changes);
    remove_temporaries(folder_, "config");
    remove_temporaries(folder_ / kept_folder);
}

bool CheckpointWriter::is_kept(Generation generation) const
{
    return settings_.keep > 0 && generation.value() % settings_.keep == 0;
}

void CheckpointWriter::require_working() const
{
    require_folder_();
    std::lock_guard const lock{mutex_};
    if (!unreadable_.empty()) {
        throw Error{ExitCode::failure, "cannot read back the first checkpoint", unreadable_,
                    "This is a bug in mees, or the disk is damaged: please report it."};
    }
}

bool CheckpointWriter::due(Generation generation) const
{
    auto const passed = generation.value() - last_asked_.value();
    return (settings_.every_seconds > 0 && since_save_.seconds() >= settings_.every_seconds)
           || (settings_.every_generations > 0 && passed >= settings_.every_generations)
           || is_kept(generation);
}

/// Waits before the pending snapshot is written, if checkpoints take long.
void CheckpointWriter::rest(std::unique_lock<std::mutex>& lock)
{
    auto const is_urgent = [&] {
        return ending_ || hurried_ || is_kept(recorded_generation(pending_->document));
    };
    double const left = rest_factor * last_seconds_ - since_change_.seconds();
    if (last_seconds_ < shortest_that_rests || left <= 0 || is_urgent()) {
        return;
    }
    log::info("the last checkpoint took {:.1f} s: the next is written in {:.0f} s", last_seconds_,
              left);
    changed_.wait_for(lock, std::chrono::duration<double>{left}, is_urgent);
}

void CheckpointWriter::save(MapDocument snapshot)
{
    last_asked_ = recorded_generation(snapshot);
    since_save_.restart();
    std::unique_lock lock{mutex_};
    changed_.wait(lock,
                  [&] { return !pending_ || !is_kept(recorded_generation(pending_->document)); });
    pending_ = Snapshot{std::move(snapshot)};
    changed_.notify_all();
}

void CheckpointWriter::hurry()
{
    std::lock_guard const lock{mutex_};
    if (pending_ && writing_ && saved_ && !is_kept(*writing_)) {
        dropped_ = true;
    }
    hurried_ = true;
    if (!writing_) {
        merge_next();
    }
    changed_.notify_all();
}

/// Under the lock: what is saved only as changes becomes a map.h5, unless there is a newer one.
void CheckpointWriter::merge_next()
{
    if (!pending_) {
        pending_ = std::exchange(unmerged_, std::nullopt);
    }
}

std::optional<std::string> CheckpointWriter::wait()
{
    hurry();
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return !pending_ && !writing_; });
    hurried_ = false;
    return failure_;
}

std::optional<Generation> CheckpointWriter::saved() const
{
    std::lock_guard const lock{mutex_};
    return saved_;
}

double CheckpointWriter::longest_seconds() const
{
    std::lock_guard const lock{mutex_};
    return std::max(longest_seconds_, writing_ ? since_change_.seconds() : 0.0);
}

void CheckpointWriter::work()
{
    std::unique_lock lock{mutex_};
    while (true) {
        changed_.wait(lock, [&] { return pending_ || ending_; });
        if (!pending_) {
            return;
        }
        rest(lock);
        auto snapshot = *std::exchange(pending_, std::nullopt);
        auto const generation = recorded_generation(snapshot.document);
        writing_ = generation;
        dropped_ = false;
        since_change_.restart();
        changed_.notify_all();
        lock.unlock();
        auto outcome = write(snapshot);
        report(generation, outcome);
        lock.lock();
        finish(std::move(snapshot), std::move(outcome));
    }
}

/// Under the lock.
void CheckpointWriter::finish(Snapshot snapshot, Outcome outcome)
{
    failure_ = std::move(outcome.failure);
    if (outcome.saved) {
        saved_ = writing_;
    }
    if (outcome.saved && !outcome.map_written) {
        unmerged_ = Snapshot{std::move(snapshot.document), true};
    } else if (outcome.saved || failure_) {
        unmerged_.reset();
    }
    last_seconds_ = since_change_.restart();
    longest_seconds_ = std::max(longest_seconds_, last_seconds_);
    writing_.reset();
    if (hurried_ && !outcome.map_tried) {
        merge_next();
    }
    changed_.notify_all();
}

bool CheckpointWriter::needs_map(Generation generation) const
{
    std::lock_guard const lock{mutex_};
    return hurried_ || ending_ || is_kept(generation) || changes_->is_long();
}

CheckpointWriter::Outcome CheckpointWriter::write(Snapshot const& snapshot)
{
    Outcome outcome{.saved = snapshot.saved_as_changes};
    auto const attempt = [&](auto const& action) {
        try {
            require_folder_();
            action();
        } catch (std::exception const& error) {
            outcome.failure = error.what();
        }
    };
    if (changes_->is_useful_for(snapshot.document) && !snapshot.saved_as_changes) {
        attempt([&] { outcome.saved = changes_->write(snapshot.document, dropped_); });
    }
    auto const generation = recorded_generation(snapshot.document);
    if (!dropped_ && (!outcome.saved || snapshot.saved_as_changes || needs_map(generation))) {
        outcome.failure.reset();
        outcome.map_tried = true;
        attempt([&] { write_map_file(snapshot.document, outcome); });
    }
    if (outcome.saved && !outcome.map_written && outcome.failure) {
        outcome.failure = WriteError{fmt::format("the changes up to generation {} were written, "
                                                 "but not {}",
                                                 generation.value(), (folder_ / map_name).string()),
                                     *outcome.failure, ""}
                              .what();
    }
    return outcome;
}

void CheckpointWriter::write_map_file(MapDocument const& document, Outcome& outcome)
{
    AtomicFile map{folder_ / map_name};
    if (write_new(map.temporary(), document)) {
        changes_->prepare(map.temporary(), document);
        put_in_place(map, recorded_generation(document), outcome);
    }
}

/// False if the snapshot was dropped.
bool CheckpointWriter::write_new(std::filesystem::path const& path, MapDocument const& document)
{
    try {
        write_map(path, document, &dropped_);
    } catch (WriteError const&) {
        if (!dropped_) {
            throw;
        }
    }
    if (dropped_) {
        return false;
    }
    if (!verified_) {
        verify(path);
        verified_ = true;
    }
    return true;
}

void CheckpointWriter::put_in_place(AtomicFile& map, Generation generation, Outcome& outcome)
{
    require_folder_();
    MapRotation rotation{folder_};
    map.commit();
    outcome.saved = outcome.map_written = true;
    changes_->begin();
    auto const attempt = [&](auto const& action, std::filesystem::path const& file,
                             std::string_view remedy) {
        try {
            action();
        } catch (WriteError const& error) {
            outcome.failure = WriteError{fmt::format("map.h5 of generation {} was written, but not "
                                                     "{}",
                                                     generation.value(), file.string()),
                                         error.what(), remedy}
                                  .what();
        }
    };
    auto const remove_superseded = [&] {
        if (change_paths(folder_).empty()) {
            return;
        }
        if (auto const previous = generation_of(folder_ / previous_map_name)) {
            remove_changes(folder_, *previous);  // that file contains them
        }
    };
    attempt(
        [&] {
            rotation.commit();
            remove_superseded();
        },
        folder_ / previous_map_name, "Remove what has this name, if it is not a map.");
    if (is_kept(generation)) {
        auto const kept = folder_ / kept_folder / fmt::format("gen_{:06}.h5", generation.value());
        attempt([&] { keep_copy(folder_ / map_name, kept); }, kept,
                "Make that folder writable, or set checkpoint.keep to 0.");
    }
    if (!temporaries_removed_) {
        remove_old_temporaries(generation);
    }
}

/// A run whose checkpoints no program can read must not continue for days.
void CheckpointWriter::verify(std::filesystem::path const& written)
{
    try {
        static_cast<void>(read_map(written, Controllers::dropped));
    } catch (FileError const& error) {
        std::lock_guard const lock{mutex_};
        unreadable_ = error.what();
        throw WriteError{"cannot read back the first checkpoint", unreadable_, ""};
    }
}

void CheckpointWriter::report(Generation generation, Outcome const& outcome) const
{
    if (outcome.saved) {
        log::info("checkpoint of generation {} written{}", generation.value(),
                  outcome.map_written ? "" : " (changes)");
        if (outcome.failure) {
            log::warning("{} The run continues.", *outcome.failure);
        }
        return;
    }
    if (!outcome.failure) {
        log::info("the checkpoint of generation {} was dropped for a newer one",
                  generation.value());
        return;
    }
    auto const last = saved();
    log::warning(
        "the checkpoint of generation {} was not written: {} The run continues and will retry at "
        "the next checkpoint; {} is unchanged.",
        generation.value(), *outcome.failure,
        last ? fmt::format("the checkpoint of generation {}", last->value())
             : std::string{"the folder's checkpoint, if any,"});
}

}  // namespace mees
