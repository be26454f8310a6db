#include "mees/storage/hdf5/detail/digest.hpp"
#include "mees/storage/hdf5/detail/driver.hpp"
#include "mees/storage/hdf5/detail/library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace mees::hdf5 {
namespace {

constexpr std::int64_t chunk_bytes = 1 << 20;
/// Up to this number, links and attributes are stored in the object's header.
constexpr unsigned compact_limit = 64;

template <class PropertyList>
void without_times(PropertyList const& list)
{
    checked(H5Pset_obj_track_times(list.get(), false), "no creation properties");
    checked(H5Pset_attr_phase_change(list.get(), compact_limit, 0), "no creation properties");
}

Handle group_properties(hid_t kind)
{
    Handle list{H5Pcreate(kind), H5Pclose, "no creation properties"};
    without_times(list);
    checked(H5Pset_link_phase_change(list.get(), compact_limit, 0), "no creation properties");
    return list;
}

/// Equal chunks of about a megabyte, of complete rows; never empty.
Shape chunks_of(Shape const& shape, std::size_t value_size)
{
    auto chunk = shape;
    for (auto& size : chunk) {
        size = std::max<std::int64_t>(size, 1);
    }
    auto const bytes = element_count(chunk) * static_cast<std::int64_t>(value_size);
    auto const pieces = std::min(chunk.front(), (bytes + chunk_bytes - 1) / chunk_bytes);
    chunk.front() = (chunk.front() + pieces - 1) / pieces;
    return chunk;
}

Handle dataset_properties(Shape const& chunk)
{
    Handle list{H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "no creation properties"};
    without_times(list);
    std::vector<hsize_t> const sizes(chunk.begin(), chunk.end());
    checked(H5Pset_chunk(list.get(), static_cast<int>(sizes.size()), sizes.data()), "no chunks");
    checked(H5Pset_fletcher32(list.get()), "no checksums");
    checked(H5Pset_fill_time(list.get(), H5D_FILL_TIME_NEVER), "no creation properties");
    return list;
}

Handle open_existing(hid_t file, std::string const& path)
{
    return {H5Oopen(file, path.c_str(), H5P_DEFAULT), H5Oclose, "no such object"};
}

void write_attribute(hid_t object, std::string const& name, hid_t type, hid_t space,
                     void const* values)
{
    Handle const attribute{H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
                           H5Aclose, "cannot create the attribute"};
    checked(H5Awrite(attribute.get(), type, values), "cannot write the attribute");
}

void write_digest(hid_t dataset, Digest const& digest)
{
    auto const value = std::bit_cast<std::int64_t>(digest.value());
    write_attribute(dataset, "digest", file_type<std::int64_t>(), make_space({}).get(), &value);
}

Handle create_dataset(hid_t file, std::string const& path, Shape const& shape, Shape const& chunk,
                      hid_t type)
{
    auto const space = make_space(shape);
    auto const properties = dataset_properties(chunk);
    Handle const access{H5Pcreate(H5P_DATASET_ACCESS), H5Pclose, "no access properties"};
    // Chunks are written completely and once: caching them is useless.
    checked(H5Pset_chunk_cache(access.get(), 0, 0, H5D_CHUNK_CACHE_W0_DEFAULT), "no chunk cache");
    return {H5Dcreate2(file, path.c_str(), type, space.get(), H5P_DEFAULT, properties.get(),
                       access.get()),
            H5Dclose, "cannot create the dataset"};
}

void write_dataset(hid_t file, std::string const& path, Shape const& shape, hid_t type,
                   std::span<std::byte const> values)
{
    auto const dataset =
        create_dataset(file, path, shape, chunks_of(shape, H5Tget_size(type)), type);
    if (!values.empty()) {
        checked(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
                "cannot write the values");
    }
    Digest digest;
    digest.add(values);
    write_digest(dataset.get(), digest);
}

void write_row(hid_t dataset, hid_t type, Shape const& shape, std::int64_t row, void const* values)
{
    auto const space = make_space(shape);
    auto const memory = make_space({1, shape[1]});
    hsize_t const start[2] = {static_cast<hsize_t>(row), 0};
    hsize_t const count[2] = {1, static_cast<hsize_t>(shape[1])};
    checked(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start, nullptr, count, nullptr),
            "no such row");
    checked(H5Dwrite(dataset, type, memory.get(), space.get(), H5P_DEFAULT, values),
            "cannot write a row");
}

}  // namespace

struct Writer::Implementation {
    std::filesystem::path path;
    DriverOutcome outcome;
    Handle file;

    /// Runs `work` under the lock; failures of the library and the disk become WriteErrors.
    template <class Work>
    auto guarded(std::string const& object, Work const& work)
    {
        auto const lock = exclusive();
        try {
            if constexpr (std::is_void_v<decltype(work())>) {
                work();
                fail_on_disk_error();
            } else {
                auto result = work();
                fail_on_disk_error();
                return result;
            }
        } catch (LibraryFailure const& failure) {
            fail_on_disk_error();
            throw WriteError{fmt::format("cannot write {} in {}", object, path.string()),
                             failure.what, "This is a bug in mees or libhdf5: please report it."};
        }
    }

    void fail_on_disk_error() const
    {
        if (outcome.error != 0) {
            throw WriteError{fmt::format("cannot write {}", path.string()),
                             fmt::format("{}: {}", outcome.doing, std::strerror(outcome.error)),
                             "Free disk space or check the permissions of the folder."};
        }
    }
};

Writer::Writer(std::filesystem::path const& path, std::int64_t expected_bytes,
               std::atomic<bool> const* cancelled)
    : implementation_{std::make_unique<Implementation>()}
{
    implementation_->path = path;
    implementation_->guarded("the file", [&] {
        Handle const access{H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "no access properties"};
        use_driver(access.get(), {&implementation_->outcome, expected_bytes, cancelled});
        checked(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110),
                "no format version");
        checked(H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG), "no access properties");
        auto const creation = group_properties(H5P_FILE_CREATE);
        implementation_->file =
            Handle{H5Fcreate(path.c_str(), H5F_ACC_EXCL, creation.get(), access.get()), H5Fclose,
                   "cannot create the file"};
    });
}

Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;
Writer::~Writer() = default;

void Writer::group(std::string const& path)
{
    implementation_->guarded(path, [&] {
        auto const properties = group_properties(H5P_GROUP_CREATE);
        Handle const group{H5Gcreate2(implementation_->file.get(), path.c_str(), H5P_DEFAULT,
                                      properties.get(), H5P_DEFAULT),
                           H5Gclose, "cannot create the group"};
    });
}

template <class T>
void Writer::dataset(std::string const& path, std::span<T const> values, Shape const& shape)
{
    expects(element_count(shape) == static_cast<std::int64_t>(values.size()) && !shape.empty(),
            "as many values as the shape holds");
    implementation_->guarded(path, [&] {
        write_dataset(implementation_->file.get(), path, shape, file_type<T>(),
                      std::as_bytes(values));
    });
}

void Writer::dataset(std::string const& path, std::vector<std::string> const& values)
{
    implementation_->guarded(path, [&] {
        auto const padded = pad(values);
        write_dataset(implementation_->file.get(), path, {static_cast<std::int64_t>(values.size())},
                      make_string_type(padded.length).get(),
                      std::as_bytes(std::span{padded.bytes}));
    });
}

template <class T>
void Writer::rows(std::string const& path, std::int64_t rows, std::int64_t columns,
                  std::function<std::span<T const>(std::int64_t)> const& row)
{
    Handle dataset;
    Digest digest;
    implementation_->guarded(path, [&] {
        dataset = create_dataset(implementation_->file.get(), path, {rows, columns},
                                 {1, std::max<std::int64_t>(columns, 1)}, file_type<T>());
    });
    for (std::int64_t i = 0; i < rows; ++i) {
        auto const values = row(i);
        expects(std::ssize(values) == columns, "a complete row");
        implementation_->guarded(path, [&] {
            write_row(dataset.get(), file_type<T>(), {rows, columns}, i, values.data());
        });
        digest.add(std::as_bytes(values));
    }
    implementation_->guarded(path, [&] { write_digest(dataset.get(), digest); });
}

template <class T>
void Writer::attribute(std::string const& object, std::string const& name,
                       std::span<T const> values)
{
    implementation_->guarded(object + "@" + name, [&] {
        auto const space = make_space({static_cast<std::int64_t>(values.size())});
        write_attribute(open_existing(implementation_->file.get(), object).get(), name,
                        file_type<T>(), space.get(), values.data());
    });
}

void Writer::attribute(std::string const& object, std::string const& name, std::int64_t value)
{
    implementation_->guarded(object + "@" + name, [&] {
        write_attribute(open_existing(implementation_->file.get(), object).get(), name,
                        file_type<std::int64_t>(), make_space({}).get(), &value);
    });
}

void Writer::attribute(std::string const& object, std::string const& name, double value)
{
    implementation_->guarded(object + "@" + name, [&] {
        write_attribute(open_existing(implementation_->file.get(), object).get(), name,
                        file_type<double>(), make_space({}).get(), &value);
    });
}

void Writer::attribute(std::string const& object, std::string const& name, std::string_view value)
{
    implementation_->guarded(object + "@" + name, [&] {
        auto const type = make_string_type(value.size());
        auto const text = std::string{value};
        write_attribute(open_existing(implementation_->file.get(), object).get(), name, type.get(),
                        make_space({}).get(), text.c_str());
    });
}

void Writer::attribute(std::string const& object, std::string const& name,
                       std::vector<std::string> const& values)
{
    implementation_->guarded(object + "@" + name, [&] {
        auto const padded = pad(values);
        auto const type = make_string_type(padded.length);
        write_attribute(open_existing(implementation_->file.get(), object).get(), name, type.get(),
                        make_space({static_cast<std::int64_t>(values.size())}).get(),
                        padded.bytes.data());
    });
}

void Writer::finish()
{
    implementation_->guarded("the file", [&] {
        if (!implementation_->file.close()) {
            checked(-1, "cannot close the file");
        }
    });
}

#define MEES_INSTANTIATE(T)                                                                 \
    template void Writer::dataset<T>(std::string const&, std::span<T const>, Shape const&); \
    template void Writer::rows<T>(std::string const&, std::int64_t, std::int64_t,           \
                                  std::function<std::span<T const>(std::int64_t)> const&);  \
    template void Writer::attribute<T>(std::string const&, std::string const&, std::span<T const>);
MEES_HDF5_TYPES(MEES_INSTANTIATE)
#undef MEES_INSTANTIATE

}  // namespace mees::hdf5
