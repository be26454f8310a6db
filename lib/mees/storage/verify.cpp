#include "mees/storage/verify.hpp"

#include "mees/sim/registry.hpp"
#include "mees/storage/hdf5/detail/digest.hpp"
#include "mees/storage/map/changes.hpp"
#include "mees/storage/map/detail/layout.hpp"
#include "mees/storage/map/file.hpp"
#include "mees/storage/navigation_file.hpp"
#include "mees/storage/recovery_file.hpp"
#include "mees/storage/trial_file.hpp"
#include "mees/storage/walk_file.hpp"

#include <algorithm>

namespace mees {
namespace {

/// Runs a check; adds the message of its FileError to the list, once.
template <class Check>
void note_failure(std::vector<std::string>& problems, Check const& check)
{
    try {
        check();
    } catch (FileError const& error) {
        if (std::ranges::find(problems, error.what()) == problems.end()) {
            problems.emplace_back(error.what());
        }
    }
}

void read_attributes(hdf5::Reader const& file, std::string const& object)
{
    for (auto const& name : file.attribute_names(object)) {
        static_cast<void>(file.attribute_image(object, name));
    }
}

void check_content(std::filesystem::path const& path)
{
    hdf5::Reader const file{path};
    auto const type = file.has_attribute("/", "filetype") ? file.text("/", "filetype") : "";
    if (type == recovery_filetype) {
        static_cast<void>(read_recoveries(path));
    } else if (type == trial_filetype) {
        static_cast<void>(read_trials(path));
    } else if (type == navigation_filetype) {
        static_cast<void>(read_navigation(path));
    } else if (type == walk_filetype) {
        check_walk(path);
    } else if (type == layout::changes_kind.filetype) {
        check_changes(path);
    } else {
        if (auto const document = read_map(path, Controllers::dropped); document.domain) {
            check_document(*document.domain, path.string());
        }
    }
}

}  // namespace

std::vector<std::string> verify(std::filesystem::path const& path)
{
    std::vector<std::string> problems;
    note_failure(problems, [&] {
        hdf5::Reader const file{path};
        read_attributes(file, "/");
        for (auto const& group : file.groups()) {
            note_failure(problems, [&] { read_attributes(file, group); });
        }
        for (auto const& dataset : file.datasets()) {
            note_failure(problems, [&] {
                read_attributes(file, dataset);
                require_intact(file, dataset);
            });
        }
    });
    if (problems.empty()) {
        note_failure(problems, [&] { check_content(path); });
    }
    return problems;
}

}  // namespace mees
