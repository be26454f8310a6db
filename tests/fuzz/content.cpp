#include "fuzz/content.hpp"

#include "fuzz/bytes.hpp"
#include "scratch_folder.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace mees::test {
namespace {

using hdf5::Reader;
using hdf5::Shape;
using hdf5::Type;

template <class T>
T draw(Bytes& bytes)
{
    if constexpr (std::is_same_v<T, std::string>) {
        std::string text(bytes.below(20), ' ');
        std::ranges::generate(text, [&] { return bytes.next<char>(); });
        return text;
    } else if constexpr (std::is_floating_point_v<T>) {
        using Limits = std::numeric_limits<T>;
        constexpr std::array values{T{0},
                                    T{-1},
                                    T{1e6},
                                    Limits::max(),
                                    Limits::lowest(),
                                    Limits::denorm_min(),
                                    Limits::infinity(),
                                    Limits::quiet_NaN()};
        auto const which = bytes.below(values.size() + 1);
        return which < values.size() ? values[which] : bytes.next<T>();
    } else {
        using Limits = std::numeric_limits<T>;
        constexpr std::array values{T{0}, static_cast<T>(-1), T{100}, Limits::max(), Limits::min()};
        auto const which = bytes.below(values.size() + 1);
        return which < values.size() ? values[which] : bytes.next<T>();
    }
}

Content::Values values_of(Reader const& file, std::string const& dataset)
{
    switch (file.type(dataset)) {
        case Type::int8:
            return file.values<std::int8_t>(dataset);
        case Type::uint8:
            return file.values<std::uint8_t>(dataset);
        case Type::int32:
            return file.values<std::int32_t>(dataset);
        case Type::int64:
            return file.values<std::int64_t>(dataset);
        case Type::uint64:
            return file.values<std::uint64_t>(dataset);
        case Type::float32:
            return file.values<float>(dataset);
        case Type::float64:
            return file.values<double>(dataset);
        default:
            return file.texts(dataset);
    }
}

Content::Values values_of(Reader const& file, std::string const& object, std::string const& name)
{
    try {
        return file.integers(object, name);
    } catch (FileError const&) {
    }
    try {
        return file.reals(object, name);
    } catch (FileError const&) {
        return file.texts(object, name);
    }
}

/// Cuts or repeats the values to this number.
void resize(Content::Values& values, std::size_t size)
{
    std::visit(
        [&](auto& list) {
            using List = std::remove_reference_t<decltype(list)>;
            list.resize(size, list.empty() ? typename List::value_type{} : list.front());
        },
        values);
}

template <std::size_t... index>
Content::Values empty_values(std::size_t which, std::index_sequence<index...>)
{
    Content::Values values;
    static_cast<void>(((which == index && (values.emplace<index>(), true)) || ...));
    return values;
}

void change_shape(Content::Item& item, Bytes& bytes)
{
    auto& shape = item.shape;
    switch (bytes.below(4)) {
        case 0:
            shape.push_back(1);
            break;
        case 1:
            shape = {hdf5::element_count(shape)};
            break;
        default:
            shape[bytes.below(shape.size())] = static_cast<std::int64_t>(bytes.below(40));
    }
    resize(item.values, static_cast<std::size_t>(hdf5::element_count(shape)));
}

void change_values(Content::Values& values, Bytes& bytes)
{
    std::visit(
        [&](auto& list) {
            using T = typename std::remove_reference_t<decltype(list)>::value_type;
            if (list.empty()) {
                return;
            }
            auto const kind = bytes.below(4);
            auto& value = list[bytes.below(list.size())];
            if (kind == 0) {
                value = list[bytes.below(list.size())];
            } else if (kind == 1) {
                std::ranges::fill(list, draw<T>(bytes));
            } else {
                value = draw<T>(bytes);
            }
        },
        values);
}

void write_dataset(hdf5::Writer& file, Content::Item const& item)
{
    std::visit(
        [&](auto const& list) {
            using T = typename std::remove_cvref_t<decltype(list)>::value_type;
            if constexpr (std::is_same_v<T, std::string>) {
                file.dataset(item.object, list);
            } else {
                file.dataset(item.object, std::span<T const>{list}, item.shape);
            }
        },
        item.values);
}

void write_attribute(hdf5::Writer& file, Content::Item const& item)
{
    std::visit(
        [&](auto const& list) {
            using T = typename std::remove_cvref_t<decltype(list)>::value_type;
            if constexpr (std::is_same_v<T, std::string>) {
                file.attribute(item.object, item.attribute, list);
            } else {
                file.attribute(item.object, item.attribute, std::span<T const>{list});
            }
        },
        item.values);
}

}  // namespace

Content::Content(std::filesystem::path const& path)
{
    Reader const file{path};
    groups_ = file.groups();
    for (auto const& dataset : file.datasets()) {
        items_.push_back({dataset, "", values_of(file, dataset), file.shape(dataset)});
    }
    auto owners = groups_;
    owners.emplace_back("/");
    for (auto const& owner : owners) {
        for (auto const& name : file.attribute_names(owner)) {
            items_.push_back({owner, name, values_of(file, owner, name), {}});
        }
    }
}

void Content::change(ByteView bytes)
{
    Bytes left{bytes};
    while (!left.empty() && !items_.empty()) {
        auto const which = left.below(items_.size());
        auto& item = items_[which];
        switch (left.below(8)) {
            case 0:
                items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(which));
                break;
            case 1: {
                auto const size =
                    std::visit([](auto const& list) { return list.size(); }, item.values);
                item.values = empty_values(left.below(std::variant_size_v<Values>),
                                           std::make_index_sequence<std::variant_size_v<Values>>{});
                resize(item.values, size);
                break;
            }
            case 2:
                if (item.shape.empty()) {
                    resize(item.values, left.below(40));
                } else {
                    change_shape(item, left);
                }
                break;
            default:
                change_values(item.values, left);
        }
    }
}

void Content::write(std::filesystem::path const& path) const
{
    hdf5::Writer file{path};
    for (auto const& group : groups_) {
        file.group(group);
    }
    for (auto const& item : items_) {
        if (item.attribute.empty()) {
            write_dataset(file, item);
        } else {
            write_attribute(file, item);
        }
    }
    file.finish();
}

void try_changed(Content content, ByteView changes,
                 std::function<void(std::filesystem::path const&)> const& check)
{
    ScratchFolder const folder;
    content.change(changes);
    try {
        content.write(folder / "changed.h5");
    } catch (WriteError const&) {
        return;  // for example, attributes that are too large
    }
    keep_copy(folder / "changed.h5");
    check(folder / "changed.h5");
}

}  // namespace mees::test
