#include "mees/storage/walk_file.hpp"

#include "mees/storage/detail/checks.hpp"
#include "mees/storage/detail/domain_group.hpp"
#include "mees/storage/detail/run_attributes.hpp"
#include "mees/storage/hdf5/file.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

namespace mees {
namespace {

constexpr FileKind walk_kind{walk_filetype, {1, 0}, "a file of mees_navigate --trajectory"};

template <class Member>
auto column_of(WalkTrack const& track, Member member)
{
    std::vector<std::decay_t<decltype(member(track.rows.front()))>> values;
    for (auto const& row : track.rows) {
        values.push_back(member(row));
    }
    return values;
}

void write_poses(hdf5::Writer& file, WalkTrack const& track)
{
    using Row = WalkTrack::Row;
    file.dataset("/action", column_of(track, [](Row const& row) { return row.action; }));
    file.dataset("/target", column_of(track, [](Row const& row) { return row.target; }));
    file.dataset("/x", column_of(track, [](Row const& row) { return row.pose.x; }));
    file.dataset("/y", column_of(track, [](Row const& row) { return row.pose.y; }));
    file.dataset("/heading_cos", column_of(track, [](Row const& row) { return row.pose.cos; }));
    file.dataset("/heading_sin", column_of(track, [](Row const& row) { return row.pose.sin; }));
    auto const rows = std::ssize(track.rows);
    file.dataset("/qpos", std::span<double const>{track.qpos},
                 {rows, std::ssize(track.qpos) / std::max<std::int64_t>(rows, 1)});
}

}  // namespace

void write_walk(std::filesystem::path const& path, WalkDocument const& document)
{
    hdf5::Writer file{path};
    write_run_attributes(file, walk_kind, document.run, {document.generation, 1, 0});
    file.attribute("/", "map_sha256", std::string_view{document.map_sha256});
    file.attribute("/", "damage", std::string_view{document.job.damage});
    file.attribute("/", "walk_seed", document.job.seed);
    file.attribute("/", "learning", std::int64_t{document.learning});
    file.attribute("/", "seconds_per_step", document.seconds_per_step);
    file.attribute("/", "arena", std::string_view{to_toml(document.course.arena)});
    if (document.robot) {
        write_domain(file, *document.robot);
    }
    file.group("/targets");
    std::vector<double> x;
    std::vector<double> y;
    for (auto const& target : document.course.targets) {
        x.push_back(target.x);
        y.push_back(target.y);
    }
    file.dataset("/targets/x", x);
    file.dataset("/targets/y", y);
    write_poses(file, document.track);
    file.finish();
}

void check_walk(std::filesystem::path const& path)
{
    hdf5::Reader const file{path};
    static_cast<void>(read_format_version(file, walk_kind));
    auto const steps = std::ssize(file.values<std::int64_t>("/action"));
    static_cast<void>(file.values<std::int64_t>("/target", {steps}));
    for (auto const* column : {"/x", "/y", "/heading_cos", "/heading_sin"}) {
        static_cast<void>(file.values<double>(column, {steps}));
    }
    auto const shape = file.shape("/qpos");
    require(file, shape.size() == 2 && shape[0] == steps, "/qpos has other rows than /action");
}

}  // namespace mees
