#include "mees/cluster/detail/shared_novelties.hpp"

#include "mees/cluster/codec.hpp"
#include "mees/cluster/detail/shared_work.hpp"

#include <algorithm>

namespace mees {
namespace {

struct Query {
    std::int64_t dimensions{0};
    NoveltySettings settings;
    std::int64_t known{0};  ///< entries that the ranks have; the others follow
};

/// How many of the archive's first entries the other ranks have.
std::int64_t known_entries(Ranks const& ranks, NoveltyArchive const& archive)
{
    auto const& copy = ranks.archive;
    bool const known =
        copy && copy->dimensions() == archive.dimensions() && copy->settings() == archive.settings()
        && copy->size() <= archive.size()
        && std::ranges::equal(copy->entries(), archive.entries().first(copy->entries().size()));
    return known ? copy->size() : 0;
}

void extend(std::optional<NoveltyArchive>& copy, Query const& query, std::span<double const> added)
{
    if (query.known == 0) {
        copy.emplace(query.dimensions, query.settings);
    }
    expects(copy && copy->size() == query.known, "an archive of the same entries on all ranks");
    auto const size = static_cast<std::size_t>(query.dimensions);
    for (; !added.empty(); added = added.subspan(size)) {
        copy->add(added.first(size));
    }
}

/// This rank's part of the result.
void find_own_part(Ranks& ranks, NoveltyArchive const& archive, std::span<double const> bcs)
{
    auto const all = shared_values<double>(ranks);
    auto const part = part_of(all, ranks.topology().place(), 1, ranks.topology());
    archive.novelties(bcs, part.data() - all.data(), part);
}

}  // namespace

void find_novelties_together(Ranks& ranks, NoveltyArchive const& archive,
                             std::span<double const> bcs, std::span<double> result)
{
    Query const query{.dimensions = archive.dimensions(),
                      .settings = archive.settings(),
                      .known = known_entries(ranks, archive)};
    auto const added =
        archive.entries().subspan(static_cast<std::size_t>(query.known * query.dimensions));
    ByteCounter counter;
    counter.put(query);
    counter.put_all(added);
    counter.put_all(bcs);
    auto& channel = ranks.channel();
    ByteWriter writer{channel.prepare(static_cast<std::int64_t>(counter.count()),
                                      static_cast<std::int64_t>(result.size_bytes()))};
    writer.put(query);
    writer.put_all(added);
    writer.put_all(bcs);
    channel.send_prepared(CommandKind::find_novelties);
    extend(ranks.archive, query, added);
    find_own_part(ranks, archive, bcs);
    join_parts(ranks, result);
}

void find_novelties_part(Ranks& ranks)
{
    ByteReader reader{ranks.channel().payload()};
    auto const query = reader.get<Query>();
    auto const added = reader.get_all<double>();
    auto const bcs = reader.get_all<double>();
    extend(ranks.archive, query, added);
    find_own_part(ranks, *ranks.archive, bcs);
    hand_in_part<double>(ranks);
}

}  // namespace mees
