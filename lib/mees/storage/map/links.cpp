#include "mees/storage/map/detail/links.hpp"

#include "mees/config/bounds.hpp"
#include "mees/core/eigen_span.hpp"
#include "mees/storage/map/detail/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace mees::layout {
namespace {

template <class Vector>
std::string_view bytes_of(Vector const& values)
{
    return {reinterpret_cast<char const*>(values.data()),
            static_cast<std::size_t>(values.size()) * sizeof *values.data()};
}

bool same_bytes(Controller const& a, Controller const& b)
{
    return bytes_of(a.parameters) == bytes_of(b.parameters)
           && bytes_of(a.normaliser.mean) == bytes_of(b.normaliser.mean)
           && bytes_of(a.normaliser.std) == bytes_of(b.normaliser.std);
}

template <class Vector>
Vector read_link_row(hdf5::Reader const& file, char const* path, std::int64_t row,
                     std::int64_t width)
{
    Vector values(width);
    file.row(path, row, std::span{values.data(), static_cast<std::size_t>(width)});
    require_finite(file, path, span_of(values));
    return values;
}

}  // namespace

LinkTable::LinkTable(State const& state)
{
    auto const note = [&](ControllerPtr const& before) {
        add(before.get());
        width_ = std::max(width_, links_of(before));
    };
    for (auto const& [cell, elite] : state.map.elites()) {
        note(elite.controller->before);
    }
    for (auto const& emitter : state.emitters) {
        note(emitter.before);
    }
    for (auto const& candidate : state.candidates) {
        note(candidate.controller->before);
    }
}

std::int32_t LinkTable::find_equal(Controller const& link, std::size_t hash,
                                   std::int32_t before) const
{
    auto const [begin, end] = by_content_.equal_range(hash);
    auto const found = std::find_if(begin, end, [&](auto const& entry) {
        auto const row = static_cast<std::size_t>(entry.second);
        return before_[row] == before && same_bytes(*links_[row], link);
    });
    return found == end ? static_cast<std::int32_t>(none) : found->second;
}

std::int32_t LinkTable::add(Controller const* link)
{
    if (link == nullptr) {
        return static_cast<std::int32_t>(none);
    }
    if (auto const known = rows_.find(link); known != rows_.end()) {
        return known->second;
    }
    auto const before = add(link->before.get());
    auto const hash = std::hash<std::string_view>{}(bytes_of(link->parameters));
    auto row = find_equal(*link, hash, before);
    if (row == none) {
        row = static_cast<std::int32_t>(links_.size());
        links_.push_back(link);
        before_.push_back(before);
        by_content_.emplace(hash, row);
    }
    rows_.emplace(link, row);
    return row;
}

std::vector<std::int32_t> LinkTable::row(ControllerPtr const& before) const
{
    std::vector<std::int32_t> rows(static_cast<std::size_t>(width_), none);
    auto position = static_cast<std::size_t>(links_of(before));
    for (auto const* link = before.get(); link != nullptr; link = link->before.get()) {
        rows[--position] = rows_.at(link);
    }
    return rows;
}

LinkReader::LinkReader(MapReader const& map, Controllers controllers)
    : map_{map}, controllers_{controllers}
{
    auto const& file = map.file();
    if (!file.has(link_parameters)) {
        return;
    }
    auto const fits = [&](char const* path, std::int64_t width) {
        auto const shape = file.shape(path);
        require(file, shape.size() == 2 && shape[1] == width,
                fmt::format("{} does not fit the network", path));
        return shape.front();
    };
    rows_ = fits(link_parameters, map.network().parameter_count());
    require(file,
            fits(link_mean, map.network().inputs()) == rows_
                && fits(link_std, map.network().inputs()) == rows_,
            fmt::format("{} and {} do not have a row for each of {}", link_mean, link_std,
                        link_parameters));
}

void LinkReader::require_complete() const
{
    auto const& file = map_.file();
    bool const chains = file.has(link_parameters);
    for (auto const* path :
         {elite_links, elite_link_index, emitter_link_index, link_mean, link_std}) {
        require(file, file.has(path) == chains,
                fmt::format("it has only one of {} and {}", link_parameters, path));
    }
    require(file, !file.has(candidate_group) || file.has(candidate_link_index) == chains,
            fmt::format("it has only one of {} and {}", link_parameters, candidate_link_index));
    require(file, std::ssize(links_) == rows_,
            fmt::format("{} has links that belong to no chain", link_parameters));
}

ControllerPtr LinkReader::read(std::int32_t row, ControllerPtr before) const
{
    auto const& file = map_.file();
    auto const inputs = map_.network().inputs();
    Controller link{read_link_row<Eigen::VectorXf>(file, link_parameters, row,
                                                   map_.network().parameter_count()),
                    {read_link_row<Eigen::VectorXd>(file, link_mean, row, inputs),
                     read_link_row<Eigen::VectorXd>(file, link_std, row, inputs)},
                    std::move(before)};
    require(file, (link.normaliser.std.array() > 0).all(),
            fmt::format("{} is not positive", link_std));
    if (controllers_ == Controllers::dropped) {
        link.parameters = {};
    }
    return std::make_shared<Controller const>(std::move(link));
}

ControllerPtr LinkReader::before(std::string const& dataset, std::int64_t row)
{
    auto const& file = map_.file();
    if (!file.has(dataset)) {
        return nullptr;
    }
    auto const shape = file.shape(dataset);
    require(file, shape.size() == 2 && shape[1] > 0 && shape[1] < bounds::chain_links,
            fmt::format("{} is not a table of links", dataset));
    std::vector<std::int32_t> indices(static_cast<std::size_t>(shape[1]));
    file.row(dataset, row, std::span{indices});
    require_range(file, dataset, indices, none, rows_ - 1);
    auto const end = std::ranges::find(indices, static_cast<std::int32_t>(none));
    require(file, std::all_of(end, indices.end(), [](auto index) { return index == none; }),
            fmt::format("row {} of {} has a gap", row, dataset));
    ControllerPtr last;
    auto previous = static_cast<std::int32_t>(none);
    for (auto at = indices.begin(); at != end; ++at) {
        auto found = links_.find(*at);
        if (found == links_.end()) {
            found = links_.emplace(*at, Link{read(*at, last), previous}).first;
        }
        require(file, found->second.before == previous,
                fmt::format("row {} of {} lets link {} follow {} and {}", row, dataset, *at,
                            previous, found->second.before));
        last = found->second.controller;
        previous = *at;
    }
    return last;
}

}  // namespace mees::layout
