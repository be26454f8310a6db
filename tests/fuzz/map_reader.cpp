#include "fuzz/target.hpp"

#include "mees/storage/diff.hpp"
#include "mees/storage/map/file.hpp"
#include "scratch_folder.hpp"

#include <optional>

namespace mees::test {
namespace {

/// As mees_inspect and mees_replay read a map, without checking its digests.
void look_at(std::filesystem::path const& path)
{
    try {
        MapReader const map{path};
        auto const elites = map.elites();
        for (std::size_t row = 0; row < elites.size(); ++row) {
            must_hold(map.space().cell_of(elites[row].second.bc) == elites[row].first,
                      "an elite is in its cell");
            must_hold(
                map.controller(static_cast<std::int64_t>(row))->parameters.values().allFinite(),
                "an elite's parameters are finite");
        }
        static_cast<void>(map.archive());
        static_cast<void>(map.history());
        static_cast<void>(map.timing());
        static_cast<void>(map.reevaluation());
    } catch (FileError const&) {
    }
}

}  // namespace

bool try_map(std::filesystem::path const& path)
{
    look_at(path);
    std::optional<MapDocument> document;
    try {
        document = read_map(path);
    } catch (FileError const&) {
        return false;
    }
    ScratchFolder const folder;
    write_map(folder / "once.h5", *document);
    write_map(folder / "twice.h5", read_map(folder / "once.h5"));
    must_hold(diff(folder / "once.h5", folder / "twice.h5").empty(),
              "what was read can be written and is still the same");
    return true;
}

}  // namespace mees::test
