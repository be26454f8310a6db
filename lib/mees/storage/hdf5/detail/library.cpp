#include "mees/storage/hdf5/detail/library.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstring>

namespace mees::hdf5 {
namespace {

constexpr std::array<std::string_view, 9> type_names{
    "int8", "uint8", "int32", "int64", "uint64", "float32", "float64", "string", "another type"};

std::recursive_mutex& library_mutex()
{
    static std::recursive_mutex mutex;
    return mutex;
}

herr_t collect(unsigned /*depth*/, H5E_error2_t const* entry, void* reasons)
{
    if (entry->desc != nullptr && *entry->desc != '\0') {
        static_cast<std::vector<std::string>*>(reasons)->emplace_back(entry->desc);
    }
    return 0;
}

}  // namespace

std::unique_lock<std::recursive_mutex> exclusive()
{
    std::unique_lock lock{library_mutex()};
    // A setting per thread in thread-safe builds of the library, so it is made each time.
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    return lock;
}

std::string failure_reason()
{
    std::vector<std::string> reasons;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, collect, &reasons);
    H5Eclear2(H5E_DEFAULT);
    return reasons.empty() ? std::string{} : reasons.front();
}

std::string_view name_of(Type type)
{
    return type_names.at(static_cast<std::size_t>(type));
}

std::string describe(Type type, Shape const& shape)
{
    return shape.empty() ? fmt::format("a single {}", name_of(type))
                         : fmt::format("{} of shape {}", name_of(type), fmt::join(shape, " x "));
}

std::int64_t element_count(Shape const& shape)
{
    std::int64_t count = 1;
    for (auto const size : shape) {
        count *= size;
    }
    return count;
}

std::string library_version()
{
    auto const lock = exclusive();
    unsigned major = 0;
    unsigned minor = 0;
    unsigned release = 0;
    H5get_libversion(&major, &minor, &release);
    return fmt::format("{}.{}.{}", major, minor, release);
}

// clang-format off
template <> hid_t file_type<std::int8_t>() { return H5T_STD_I8LE; }
template <> hid_t file_type<std::uint8_t>() { return H5T_STD_U8LE; }
template <> hid_t file_type<std::int32_t>() { return H5T_STD_I32LE; }
template <> hid_t file_type<std::int64_t>() { return H5T_STD_I64LE; }
template <> hid_t file_type<std::uint64_t>() { return H5T_STD_U64LE; }
template <> hid_t file_type<float>() { return H5T_IEEE_F32LE; }
template <> hid_t file_type<double>() { return H5T_IEEE_F64LE; }

template <> Type type_of<std::int8_t>() { return Type::int8; }
template <> Type type_of<std::uint8_t>() { return Type::uint8; }
template <> Type type_of<std::int32_t>() { return Type::int32; }
template <> Type type_of<std::int64_t>() { return Type::int64; }
template <> Type type_of<std::uint64_t>() { return Type::uint64; }
template <> Type type_of<float>() { return Type::float32; }
template <> Type type_of<double>() { return Type::float64; }
// clang-format on

std::size_t size_of(Type type)
{
    constexpr std::array<std::size_t, 9> sizes{1, 1, 4, 8, 8, 4, 8, 0, 0};
    return sizes.at(static_cast<std::size_t>(type));
}

hid_t memory_type(Type type)
{
    switch (type) {
        case Type::int8:
            return file_type<std::int8_t>();
        case Type::uint8:
            return file_type<std::uint8_t>();
        case Type::int32:
            return file_type<std::int32_t>();
        case Type::int64:
            return file_type<std::int64_t>();
        case Type::uint64:
            return file_type<std::uint64_t>();
        case Type::float32:
            return file_type<float>();
        case Type::float64:
            return file_type<double>();
        case Type::string:
        case Type::other:
            break;
    }
    throw LibraryFailure{"has an unsupported number type"};
}

Type classify(hid_t type)
{
    for (auto const candidate : {Type::int8, Type::uint8, Type::int32, Type::int64, Type::uint64,
                                 Type::float32, Type::float64}) {
        if (H5Tequal(type, memory_type(candidate)) > 0) {
            return candidate;
        }
    }
    return H5Tget_class(type) == H5T_STRING ? Type::string : Type::other;
}

Shape shape_of(hid_t space)
{
    if (H5Sget_simple_extent_type(space) == H5S_NULL) {
        return {0};
    }
    auto const rank = checked(H5Sget_simple_extent_ndims(space), "no shape");
    std::vector<hsize_t> sizes(static_cast<std::size_t>(rank));
    checked(H5Sget_simple_extent_dims(space, sizes.data(), nullptr), "no shape");
    Shape shape;
    std::int64_t count = 1;
    for (auto const size : sizes) {
        constexpr hsize_t most = hsize_t{1} << 48;
        if (size > most || (size > 0 && count > static_cast<std::int64_t>(most / size))) {
            throw LibraryFailure{"has an invalid shape"};
        }
        shape.push_back(static_cast<std::int64_t>(size));
        count *= shape.back();
    }
    return shape;
}

Handle make_space(Shape const& shape)
{
    if (shape.empty()) {
        return {H5Screate(H5S_SCALAR), H5Sclose, "no dataspace"};
    }
    std::vector<hsize_t> const sizes(shape.begin(), shape.end());
    return {H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr), H5Sclose,
            "no dataspace"};
}

Handle make_string_type(std::size_t length)
{
    Handle type{H5Tcopy(H5T_C_S1), H5Tclose, "no string type"};
    checked(H5Tset_size(type.get(), std::max<std::size_t>(length, 1)), "no string type");
    checked(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), "no string type");
    checked(H5Tset_cset(type.get(), H5T_CSET_UTF8), "no string type");
    return type;
}

PaddedTexts pad(std::vector<std::string> const& texts)
{
    PaddedTexts padded;
    for (auto const& text : texts) {
        padded.length = std::max(padded.length, text.size());
    }
    for (auto const& text : texts) {
        padded.bytes += text;
        padded.bytes.append(padded.length - text.size(), '\0');
    }
    return padded;
}

std::vector<std::string> unpad(PaddedTexts const& texts)
{
    std::vector<std::string> values;
    for (std::size_t i = 0; i < texts.bytes.size(); i += texts.length) {
        auto const* text = texts.bytes.data() + i;
        values.emplace_back(text, ::strnlen(text, texts.length));
    }
    return values;
}

}  // namespace mees::hdf5
