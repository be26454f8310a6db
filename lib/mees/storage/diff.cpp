#include "mees/storage/diff.hpp"

#include "mees/storage/detail/clock.hpp"
#include "mees/storage/hdf5/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace mees {
namespace {

using hdf5::Reader;

/// The names in both lists; the others are added to the differences.
std::vector<std::string> common(std::vector<std::string> left, std::vector<std::string> right,
                                std::string const& what, std::vector<std::string>& differences)
{
    std::erase_if(left, [](auto const& name) { return depends_on_the_clock(name); });
    std::erase_if(right, [](auto const& name) { return depends_on_the_clock(name); });
    auto const note_missing = [&](auto const& from, auto const& in, char const* side) {
        std::vector<std::string> missing;
        std::ranges::set_difference(in, from, std::back_inserter(missing));
        for (auto const& name : missing) {
            differences.push_back(fmt::format("{}{} is in the {} only", what, name, side));
        }
    };
    note_missing(right, left, "first");
    note_missing(left, right, "second");
    std::vector<std::string> both;
    std::ranges::set_intersection(left, right, std::back_inserter(both));
    return both;
}

void diff_attributes(Reader const& left, Reader const& right, std::string const& object,
                     std::vector<std::string>& differences)
{
    auto const prefix = object + "@";
    for (auto const& name :
         common(left.attribute_names(object), right.attribute_names(object), prefix, differences)) {
        if (!depends_on_the_clock(object, name)
            && left.attribute_image(object, name) != right.attribute_image(object, name)) {
            differences.push_back(fmt::format("{}{} differs", prefix, name));
        }
    }
}

void diff_dataset(Reader const& left, Reader const& right, std::string const& path,
                  std::vector<std::string>& differences)
{
    auto const shape = left.shape(path);
    if (left.type(path) != right.type(path) || shape != right.shape(path)) {
        differences.push_back(fmt::format("{} is {} in the first, {} in the second", path,
                                          hdf5::describe(left.type(path), shape),
                                          hdf5::describe(right.type(path), right.shape(path))));
        return;
    }
    auto const rows = shape.empty() ? 1 : shape.front();
    auto const elements = hdf5::element_count(shape);
    constexpr std::int64_t elements_at_once = 1 << 21;
    auto const piece =
        elements == 0 ? 1 : std::max<std::int64_t>(1, elements_at_once * rows / elements);
    for (std::int64_t first = 0; first < rows; first += piece) {
        auto const count = std::min(piece, rows - first);
        if (left.bytes(path, first, count) == right.bytes(path, first, count)) {
            continue;
        }
        for (auto row = first; row < first + count; ++row) {
            if (left.bytes(path, row, 1) != right.bytes(path, row, 1)) {
                differences.push_back(fmt::format("{} differs, first in row {}", path, row));
                return;
            }
        }
    }
}

}  // namespace

std::vector<std::string> diff(std::filesystem::path const& left_path,
                              std::filesystem::path const& right_path)
{
    Reader const left{left_path};
    Reader const right{right_path};
    std::vector<std::string> differences;
    diff_attributes(left, right, "/", differences);
    for (auto const& group : common(left.groups(), right.groups(), "", differences)) {
        diff_attributes(left, right, group, differences);
    }
    for (auto const& path : common(left.datasets(), right.datasets(), "", differences)) {
        auto const before = differences.size();
        diff_dataset(left, right, path, differences);
        if (differences.size() == before) {
            diff_attributes(left, right, path, differences);
        }
    }
    return differences;
}

}  // namespace mees
