#include "mees/storage/verify.hpp"

#include "mees/storage/hdf5/detail/digest.hpp"
#include "mees/storage/map/file.hpp"
#include "mees/storage/recovery_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace mees {
namespace {

/// How much of a dataset is held in memory at once.
constexpr std::int64_t piece_bytes = 1 << 24;

std::uint64_t digest_of(hdf5::Reader const& file, std::string const& dataset)
{
    auto const shape = file.shape(dataset);
    auto const rows = shape.empty() ? 1 : shape.front();
    auto const row_bytes =
        rows == 0 ? 0 : static_cast<std::int64_t>(file.bytes(dataset, 0, 1).size());
    auto const piece =
        std::max<std::int64_t>(1, piece_bytes / std::max<std::int64_t>(row_bytes, 1));
    Digest digest;
    for (std::int64_t first = 0; first < rows; first += piece) {
        digest.add(file.bytes(dataset, first, std::min(piece, rows - first)));
    }
    return digest.value();
}

/// Reads all of it; says what its digest says.
bool is_whole(hdf5::Reader const& file, std::string const& dataset)
{
    auto const digest = digest_of(file, dataset);
    return !file.has_attribute(dataset, "digest")
           || std::bit_cast<std::uint64_t>(file.integer(dataset, "digest")) == digest;
}

std::string not_its_digest(std::string const& dataset)
{
    return fmt::format("{} is not what was written: its digest differs", dataset);
}

/// Runs a check; the text of the FileError it throws joins the list once.
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
    if (file.has_attribute("/", "filetype") && file.text("/", "filetype") == recovery_filetype) {
        static_cast<void>(read_recoveries(path));
    } else {
        static_cast<void>(read_map(path));
    }
}

}  // namespace

void require_whole(hdf5::Reader const& file)
{
    for (auto const& dataset : file.datasets()) {
        if (!is_whole(file, dataset)) {
            throw file.error(not_its_digest(dataset));
        }
    }
}

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
                if (!is_whole(file, dataset)) {
                    throw file.error(not_its_digest(dataset));
                }
            });
        }
    });
    if (problems.empty()) {
        note_failure(problems, [&] { check_content(path); });
    }
    return problems;
}

}  // namespace mees
