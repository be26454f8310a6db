#include "mees/storage/map/changes.hpp"

#include "mees/core/sha256.hpp"
#include "mees/storage/detail/clock.hpp"
#include "mees/storage/detail/domain_group.hpp"
#include "mees/storage/map/detail/layout.hpp"

#include <algorithm>

namespace mees {

namespace {

/// What a map and a change file of the same state do not have in common.
bool is_part_of_id(std::string const& object)
{
    return !depends_on_the_clock(object) && !layout::belongs_to_controllers(object)
           && object != layout::changes_group && object != domain_group::path
           && !object.starts_with(fmt::format("{}/", domain_group::path));
}

}  // namespace

std::string state_id(hdf5::Reader const& file)
{
    std::string text;
    auto const add = [&](std::string const& object) {
        if (!is_part_of_id(object)) {
            return;
        }
        text += fmt::format("{}\n", object);
        for (auto const& name : file.attribute_names(object)) {
            bool const differs = object == "/" && name == "filetype";
            if (!differs && !depends_on_the_clock(object, name)) {
                text += fmt::format("{} {}\n", name, file.attribute_image(object, name));
            }
        }
    };
    add("/");
    for (auto const& group : file.groups()) {
        add(group);
    }
    for (auto const& dataset : file.datasets()) {
        add(dataset);
    }
    return sha256(text);
}

bool allows_changes(State const& state)
{
    return std::ranges::none_of(
               state.map.elites(),
               [](auto const& entry) { return entry.second.controller->before != nullptr; })
           && std::ranges::none_of(state.emitters,
                                   [](Emitter const& emitter) { return emitter.before != nullptr; })
           && std::ranges::none_of(state.candidates, [](Candidate const& candidate) {
                  return candidate.controller->before != nullptr;
              });
}

ChangeOrigin origin_of(hdf5::Reader const& changes)
{
    ChangeOrigin origin;
    layout::change_attributes(layout::AttributeReader{changes, layout::changes_group}, origin);
    return origin;
}

}  // namespace mees
