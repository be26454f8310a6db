#include "mees/storage/checkpoint/detail/change_chain.hpp"

#include "mees/core/atomic_file.hpp"
#include "mees/core/error.hpp"
#include "mees/core/log.hpp"
#include "mees/storage/checkpoint/detail/change_files.hpp"
#include "mees/storage/map/file.hpp"

#include <utility>

namespace mees {
namespace {

constexpr double bytes_of_a_megabyte = 1e6;

ChangeOrigin origin_at(std::filesystem::path const& path, MapDocument const& document)
{
    auto const& state = document.state;
    return {state_id(hdf5::Reader{path}),
            state.history.empty() ? Generation{0} : state.history.back().generation,
            state.map.insertions()};
}

std::int64_t size_of(std::filesystem::path const& path)
{
    return static_cast<std::int64_t>(std::filesystem::file_size(path));
}

}  // namespace

ChangeChain::ChangeChain(std::filesystem::path folder, double above_megabytes)
    : folder_{std::move(folder)}, least_bytes_{above_megabytes * bytes_of_a_megabyte}
{
}

void ChangeChain::prepare(std::filesystem::path const& map, MapDocument const& document)
{
    prepared_.reset();
    if (least_bytes_ == 0) {
        return;
    }
    try {
        prepared_bytes_ = size_of(map);
        if (static_cast<double>(prepared_bytes_) > least_bytes_) {
            prepared_ = origin_at(map, document);
        }
    } catch (std::exception const& error) {
        log::warning("the next checkpoint will be a complete map: {}", error.what());
    }
}

void ChangeChain::begin()
{
    last_ = std::exchange(prepared_, std::nullopt);
    before_last_.reset();
    map_bytes_ = prepared_bytes_;
    bytes_ = last_bytes_ = 0;
}

bool ChangeChain::write(MapDocument const& document, std::atomic<bool> const& cancelled)
{
    auto const& history = document.state.history;
    auto const generation = history.empty() ? Generation{0} : history.back().generation;
    bool const replaces = before_last_ && last_->generation == generation;
    auto const& origin = replaces ? *before_last_ : *last_;
    auto const path = changes_path(folder_, generation);
    AtomicFile file{path};
    try {
        write_changes(file.temporary(), document, origin, &cancelled);
    } catch (WriteError const&) {
        if (!cancelled) {
            throw;
        }
    }
    if (cancelled) {
        return false;
    }
    if (!verified_) {
        check_changes(file.temporary());
        verified_ = true;
    }
    auto next = origin_at(file.temporary(), document);
    auto const size = size_of(file.temporary());
    file.commit();
    bytes_ += size - (replaces ? last_bytes_ : 0);
    last_bytes_ = size;
    before_last_ = origin;
    last_ = std::move(next);
    return true;
}

}  // namespace mees
