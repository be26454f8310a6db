#include "mees/storage/hdf5/detail/reader_file.hpp"

#include <algorithm>

namespace mees::hdf5 {
namespace {

/// Our attributes are far smaller; a damaged one could claim any size.
constexpr std::size_t largest_attribute = std::size_t{1} << 26;

struct OpenAttribute {
    Handle attribute;
    Handle type;
    Shape shape;

    [[nodiscard]] std::size_t count() const
    {
        return static_cast<std::size_t>(element_count(shape));
    }
    [[nodiscard]] H5T_class_t kind() const { return H5Tget_class(type.get()); }
};

Handle open_object(hid_t file, std::string const& path)
{
    if (!link_exists(file, path)) {
        throw LibraryFailure{"is missing"};
    }
    return {H5Oopen(file, path.c_str(), H5P_DEFAULT), H5Oclose, "cannot be opened"};
}

OpenAttribute open_attribute(hid_t file, std::string const& object, std::string const& name)
{
    auto const owner = open_object(file, object);
    if (checked(H5Aexists(owner.get(), name.c_str()), "has unreadable attributes") == 0) {
        throw LibraryFailure{"is missing"};
    }
    OpenAttribute result;
    result.attribute =
        Handle{H5Aopen(owner.get(), name.c_str(), H5P_DEFAULT), H5Aclose, "cannot be opened"};
    result.type = Handle{H5Aget_type(result.attribute.get()), H5Tclose, "has no type"};
    Handle const space{H5Aget_space(result.attribute.get()), H5Sclose, "has no shape"};
    result.shape = shape_of(space.get());
    auto const size = H5Tget_size(result.type.get());
    if (size == 0 || size > largest_attribute || result.count() > largest_attribute / size) {
        throw LibraryFailure{"is too large"};
    }
    return result;
}

template <class T>
std::vector<T> read_numbers(OpenAttribute const& open, H5T_class_t kind, char const* expected)
{
    if (open.kind() != kind || H5Tget_size(open.type.get()) > sizeof(T)) {
        throw LibraryFailure{fmt::format("is not {}", expected)};
    }
    std::vector<T> values(open.count());
    if (!values.empty()) {
        checked(H5Aread(open.attribute.get(), file_type<T>(), values.data()), "cannot be read");
    }
    return values;
}

std::vector<std::string> read_variable(OpenAttribute const& open)
{
    std::vector<char*> pointers(open.count(), nullptr);
    if (!pointers.empty()) {
        checked(H5Aread(open.attribute.get(), open.type.get(), pointers.data()), "cannot be read");
    }
    std::vector<std::string> values;
    for (char* pointer : pointers) {
        values.emplace_back(pointer == nullptr ? "" : pointer);
        H5free_memory(pointer);
    }
    return values;
}

std::vector<std::string> read_texts(OpenAttribute const& open)
{
    if (open.kind() != H5T_STRING) {
        throw LibraryFailure{"is not a string"};
    }
    if (checked(H5Tis_variable_str(open.type.get()), "has no type") > 0) {
        return read_variable(open);
    }
    auto const length = H5Tget_size(open.type.get());
    PaddedTexts padded{length, std::string(length * open.count(), '\0')};
    if (!padded.bytes.empty()) {
        checked(H5Aread(open.attribute.get(), open.type.get(), padded.bytes.data()),
                "cannot be read");
    }
    return unpad(padded);
}

template <class T>
T only(std::vector<T> values)
{
    if (values.size() != 1) {
        throw LibraryFailure{fmt::format("holds {} values, not one", values.size())};
    }
    return std::move(values.front());
}

herr_t collect_name(hid_t /*object*/, char const* name, H5A_info_t const* /*info*/, void* names)
{
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
    return 0;
}

}  // namespace

bool Reader::has_attribute(std::string const& object, std::string const& name) const
{
    return implementation_->guarded(object, [&] {
        auto const owner = open_object(implementation_->file.get(), object);
        return checked(H5Aexists(owner.get(), name.c_str()), "has unreadable attributes") > 0;
    });
}

std::vector<std::string> Reader::attribute_names(std::string const& object) const
{
    return implementation_->guarded(object, [&] {
        auto const owner = open_object(implementation_->file.get(), object);
        std::vector<std::string> names;
        checked(H5Aiterate2(owner.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, collect_name, &names),
                "has unreadable attributes");
        std::ranges::sort(names);
        return names;
    });
}

std::vector<std::int64_t> Reader::integers(std::string const& object, std::string const& name) const
{
    return implementation_->guarded(object + "@" + name, [&] {
        return read_numbers<std::int64_t>(open_attribute(implementation_->file.get(), object, name),
                                          H5T_INTEGER, "an integer");
    });
}

std::vector<double> Reader::reals(std::string const& object, std::string const& name) const
{
    return implementation_->guarded(object + "@" + name, [&] {
        return read_numbers<double>(open_attribute(implementation_->file.get(), object, name),
                                    H5T_FLOAT, "a real number");
    });
}

std::vector<std::string> Reader::texts(std::string const& object, std::string const& name) const
{
    return implementation_->guarded(object + "@" + name, [&] {
        return read_texts(open_attribute(implementation_->file.get(), object, name));
    });
}

std::int64_t Reader::integer(std::string const& object, std::string const& name) const
{
    auto const values = integers(object, name);
    return implementation_->guarded(object + "@" + name, [&] { return only(values); });
}

double Reader::real(std::string const& object, std::string const& name) const
{
    auto const values = reals(object, name);
    return implementation_->guarded(object + "@" + name, [&] { return only(values); });
}

std::string Reader::text(std::string const& object, std::string const& name) const
{
    auto const values = texts(object, name);
    return implementation_->guarded(object + "@" + name, [&] { return only(values); });
}

std::string Reader::attribute_image(std::string const& object, std::string const& name) const
{
    return implementation_->guarded(object + "@" + name, [&] {
        auto const open = open_attribute(implementation_->file.get(), object, name);
        auto image = describe(classify(open.type.get()), open.shape) + ": ";
        if (open.kind() == H5T_STRING) {
            for (auto const& value : read_texts(open)) {
                image += value + '\0';
            }
            return image;
        }
        std::string bytes(H5Tget_size(open.type.get()) * open.count(), '\0');
        if (!bytes.empty()) {
            checked(H5Aread(open.attribute.get(), open.type.get(), bytes.data()), "cannot be read");
        }
        return image + bytes;
    });
}

}  // namespace mees::hdf5
