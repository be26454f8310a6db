#include "mees/storage/hdf5/detail/driver.hpp"
#include "mees/storage/hdf5/detail/library.hpp"
#include "mees/storage/hdf5/detail/reader_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>

namespace mees::hdf5 {
namespace {

struct OpenDataset {
    Handle dataset;
    Handle space;
    Handle stored_type;
    Type type{Type::other};
    Shape shape;

    [[nodiscard]] bool is_fixed_text() const
    {
        return type == Type::string && H5Tis_variable_str(stored_type.get()) == 0;
    }
    /// The type of values in memory: strings of a fixed length as they are stored.
    [[nodiscard]] hid_t memory() const
    {
        return is_fixed_text() ? stored_type.get() : memory_type(type);
    }
    [[nodiscard]] std::size_t value_size() const
    {
        return is_fixed_text() ? H5Tget_size(stored_type.get()) : size_of(type);
    }
};

OpenDataset open_dataset(hid_t file, std::string const& path)
{
    if (!link_exists(file, path)) {
        throw LibraryFailure{"is missing"};
    }
    OpenDataset result;
    result.dataset =
        Handle{H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose, "cannot be opened"};
    result.stored_type = Handle{H5Dget_type(result.dataset.get()), H5Tclose, "has no type"};
    result.type = classify(result.stored_type.get());
    result.space = Handle{H5Dget_space(result.dataset.get()), H5Sclose, "has no shape"};
    result.shape = shape_of(result.space.get());
    return result;
}

/// How many bytes one stored byte can represent: deflate compresses by at most 1032 : 1.
std::int64_t expansion(hid_t dataset)
{
    constexpr std::int64_t highest_of_deflate = 1032;
    Handle const creation{H5Dget_create_plist(dataset), H5Pclose, "has no creation properties"};
    unsigned flags = 0;
    std::size_t values = 0;
    bool const packed = H5Pget_filter_by_id2(creation.get(), H5Z_FILTER_DEFLATE, &flags, &values,
                                             nullptr, 0, nullptr, nullptr)
                        >= 0;
    return packed ? highest_of_deflate : 1;
}

/// Guards against shapes larger than what the file stores.
void require_stored(OpenDataset const& open)
{
    auto const bytes = element_count(open.shape) * static_cast<std::int64_t>(size_of(open.type));
    auto const stored = static_cast<std::int64_t>(H5Dget_storage_size(open.dataset.get()));
    if (stored < bytes && stored * expansion(open.dataset.get()) < bytes) {
        throw LibraryFailure{"is not stored in full"};
    }
}

herr_t collect_object(hid_t /*root*/, char const* name, H5O_info_t const* info, void* data)
{
    auto& found =
        *static_cast<std::pair<std::vector<std::string>, std::vector<std::string>>*>(data);
    if (std::string_view{name} != ".") {
        auto& list = info->type == H5O_TYPE_DATASET ? found.first : found.second;
        list.push_back(std::string{"/"} + name);
    }
    return 0;
}

std::pair<std::vector<std::string>, std::vector<std::string>> all_objects(hid_t file)
{
    std::pair<std::vector<std::string>, std::vector<std::string>> found;
    checked(H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, collect_object, &found, H5O_INFO_BASIC),
            "cannot list the objects");
    std::ranges::sort(found.first);
    std::ranges::sort(found.second);
    return found;
}

void read_rows(OpenDataset const& open, std::int64_t first, std::int64_t count, void* buffer)
{
    std::vector<hsize_t> start(open.shape.size(), 0);
    std::vector<hsize_t> size(open.shape.begin(), open.shape.end());
    start.front() = static_cast<hsize_t>(first);
    size.front() = static_cast<hsize_t>(count);
    checked(H5Sselect_hyperslab(open.space.get(), H5S_SELECT_SET, start.data(), nullptr,
                                size.data(), nullptr),
            "no such rows");
    Shape memory_shape = open.shape;
    memory_shape.front() = count;
    checked(H5Dread(open.dataset.get(), open.memory(), make_space(memory_shape).get(),
                    open.space.get(), H5P_DEFAULT, buffer),
            "cannot be read");
}

}  // namespace

bool link_exists(hid_t file, std::string const& path)
{
    for (auto slash = path.find('/', 1); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
        if (checked(H5Lexists(file, path.substr(0, slash).c_str(), H5P_DEFAULT), "cannot be found")
            == 0) {
            return false;
        }
    }
    return path == "/"
           || checked(H5Lexists(file, path.c_str(), H5P_DEFAULT), "cannot be found") > 0;
}

Layout layout_of(std::filesystem::path const& path)
{
    constexpr std::string_view signature{"\x89HDF\r\n\x1a\n"};
    constexpr char first_checksummed = 2;
    std::array<char, 9> begin{};
    std::ifstream file{path, std::ios::binary};
    if (!file.read(begin.data(), begin.size())) {
        return Layout::checksummed;
    }
    // The library also looks for its signature further on.
    bool const marked = std::string_view{begin.data(), signature.size()} == signature;
    return marked && begin.back() >= first_checksummed ? Layout::checksummed : Layout::any;
}

Reader::Reader(std::filesystem::path const& path, Layout accepted)
    : implementation_{std::make_unique<Implementation>()}
{
    auto const lock = exclusive();
    auto& self = *implementation_;
    self.path = path;
    if (std::error_code ignored; std::filesystem::is_directory(path, ignored)) {
        throw FileError{fmt::format("cannot open {}", path.string()), "it is a folder",
                        "Give the file itself."};
    }
    if (accepted == Layout::checksummed && layout_of(path) == Layout::any) {
        throw FileError{fmt::format("cannot open {}", path.string()),
                        "not an intact HDF5 file with checksums, as mees writes them",
                        "Use another file."};
    }
    try {
        Handle const access{H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "no access properties"};
        use_driver(access.get(), self.outcome, 0);
        checked(H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG), "no access properties");
        self.file = Handle{H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose,
                           "not an intact HDF5 file"};
    } catch (LibraryFailure const& failure) {
        throw FileError{
            fmt::format("cannot open {}", path.string()),
            self.outcome.error != 0 ? std::strerror(self.outcome.error) : failure.what,
            self.outcome.error != 0 ? "Check the path and its permissions." : "Use another file."};
    }
}

Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

std::filesystem::path const& Reader::path() const
{
    return implementation_->path;
}

FileError Reader::error(std::string const& why) const
{
    return {fmt::format("cannot use {}", path().string()), why, "Use another file."};
}

bool Reader::has(std::string const& path) const
{
    return implementation_->guarded(path,
                                    [&] { return link_exists(implementation_->file.get(), path); });
}

std::vector<std::string> Reader::datasets() const
{
    return implementation_->guarded("the file",
                                    [&] { return all_objects(implementation_->file.get()).first; });
}

std::vector<std::string> Reader::groups() const
{
    return implementation_->guarded(
        "the file", [&] { return all_objects(implementation_->file.get()).second; });
}

Type Reader::type(std::string const& dataset) const
{
    return implementation_->guarded(
        dataset, [&] { return open_dataset(implementation_->file.get(), dataset).type; });
}

Shape Reader::shape(std::string const& dataset) const
{
    return implementation_->guarded(
        dataset, [&] { return open_dataset(implementation_->file.get(), dataset).shape; });
}

template <class T>
std::vector<T> Reader::values(std::string const& dataset, Shape const& shape) const
{
    return implementation_->guarded(dataset, [&] {
        auto const open = open_dataset(implementation_->file.get(), dataset);
        if (open.type != type_of<T>() || open.shape != shape) {
            throw LibraryFailure{fmt::format("is {}, not {}", describe(open.type, open.shape),
                                             describe(type_of<T>(), shape))};
        }
        require_stored(open);
        std::vector<T> result(static_cast<std::size_t>(element_count(shape)));
        if (!result.empty()) {
            checked(H5Dread(open.dataset.get(), file_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                            result.data()),
                    "cannot be read");
        }
        return result;
    });
}

template <class T>
void Reader::row(std::string const& dataset, std::int64_t index, std::span<T> values) const
{
    implementation_->guarded(dataset, [&] {
        auto const open = open_dataset(implementation_->file.get(), dataset);
        auto const columns = static_cast<std::int64_t>(values.size());
        if (open.type != type_of<T>() || open.shape.size() != 2 || open.shape[1] != columns
            || index < 0 || index >= open.shape[0]) {
            throw LibraryFailure{fmt::format("is {}: there is no row {} of {} {} values",
                                             describe(open.type, open.shape), index, columns,
                                             name_of(type_of<T>()))};
        }
        require_stored(open);
        if (columns > 0) {
            read_rows(open, index, 1, values.data());
        }
    });
}

std::vector<std::byte> Reader::bytes(std::string const& dataset, std::int64_t first,
                                     std::int64_t count) const
{
    return implementation_->guarded(dataset, [&] {
        auto const open = open_dataset(implementation_->file.get(), dataset);
        auto const rows = open.shape.empty() ? 1 : open.shape.front();
        if (first < 0 || count < 0 || first + count > rows) {
            throw LibraryFailure{"has fewer rows"};
        }
        require_stored(open);
        auto const per_row = rows == 0 ? 0 : element_count(open.shape) / rows;
        std::vector<std::byte> result(static_cast<std::size_t>(count * per_row)
                                      * open.value_size());
        if (result.empty()) {
            return result;
        }
        if (open.shape.empty()) {
            checked(H5Dread(open.dataset.get(), open.memory(), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                            result.data()),
                    "cannot be read");
        } else {
            read_rows(open, first, count, result.data());
        }
        return result;
    });
}

std::vector<std::string> Reader::texts(std::string const& dataset) const
{
    return implementation_->guarded(dataset, [&] {
        auto const open = open_dataset(implementation_->file.get(), dataset);
        if (!open.is_fixed_text() || open.shape.size() != 1) {
            throw LibraryFailure{fmt::format("is {}, not a list of strings of one length",
                                             describe(open.type, open.shape))};
        }
        require_stored(open);
        PaddedTexts texts{open.value_size(), {}};
        texts.bytes.resize(texts.length * static_cast<std::size_t>(open.shape.front()));
        if (!texts.bytes.empty()) {
            checked(H5Dread(open.dataset.get(), open.memory(), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                            texts.bytes.data()),
                    "cannot be read");
        }
        return unpad(texts);
    });
}

#define MEES_INSTANTIATE(T)                                                            \
    template std::vector<T> Reader::values<T>(std::string const&, Shape const&) const; \
    template void Reader::row<T>(std::string const&, std::int64_t, std::span<T>) const;
MEES_HDF5_TYPES(MEES_INSTANTIATE)
#undef MEES_INSTANTIATE

}  // namespace mees::hdf5
