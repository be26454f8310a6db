#include "mees/storage/checkpoint/newest_map.hpp"

#include "mees/core/error.hpp"
#include "mees/storage/checkpoint/detail/rotation.hpp"
#include "mees/storage/map/file.hpp"

#include <fmt/format.h>

namespace mees {

std::optional<NewestMap> load_newest_intact(std::filesystem::path const& folder)
{
    std::vector<std::string> messages;
    for (auto const* name : {map_name, previous_map_name}) {
        auto const path = folder / name;
        std::error_code error;
        if (!std::filesystem::exists(std::filesystem::symlink_status(path, error))) {
            continue;
        }
        try {
            auto document = read_map(path);
            if (!messages.empty()) {
                messages.push_back(fmt::format("resuming from {}", path.string()));
            }
            return NewestMap{std::move(document), path, std::move(messages)};
        } catch (ForeignFile const&) {
            throw;
        } catch (FileError const& failure) {
            messages.emplace_back(failure.what());
        }
    }
    if (!messages.empty()) {
        std::string all = messages.front();
        for (std::size_t i = 1; i < messages.size(); ++i) {
            all += "; " + messages[i];
        }
        throw FileError{fmt::format("cannot resume {}", folder.string()),
                        fmt::format("no checkpoint is usable: {}", all),
                        "Move the files away to start from scratch, or choose another --out."};
    }
    return std::nullopt;
}

}  // namespace mees
