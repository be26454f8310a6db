#include "mees/core/regular_file.hpp"
#include "mees/storage/hdf5/detail/driver.hpp"
#include "mees/storage/hdf5/detail/library.hpp"
#include "mees/storage/hdf5/detail/reader_file.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace mees::hdf5 {
namespace {

/// Our files have three levels; HDF5 needs more than linear time for deep ones.
constexpr std::ptrdiff_t deepest_level = 32;

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
    [[nodiscard]] bool is_number() const { return type < Type::string; }
    /// The type of values in memory: what is not one of our numbers as it is stored.
    [[nodiscard]] hid_t memory() const
    {
        return is_number() ? memory_type(type) : stored_type.get();
    }
    [[nodiscard]] std::size_t value_size() const
    {
        return is_number() ? size_of(type) : H5Tget_size(stored_type.get());
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
std::int64_t expansion(hid_t creation)
{
    constexpr std::int64_t highest_of_deflate = 1032;
    unsigned flags = 0;
    std::size_t values = 0;
    bool const packed = H5Pget_filter_by_id2(creation, H5Z_FILTER_DEFLATE, &flags, &values, nullptr,
                                             0, nullptr, nullptr)
                        >= 0;
    return packed ? highest_of_deflate : 1;
}

/// The file that holds an object, in bytes.
std::int64_t file_size(hid_t object)
{
    Handle const file{H5Iget_file_id(object), H5Fclose, "belongs to no file"};
    hsize_t size = 0;
    checked(H5Fget_filesize(file.get(), &size), "belongs to no file");
    return static_cast<std::int64_t>(size);
}

/// Guards against values in other files, values of unknown length, and shapes larger than what the
/// file stores.
void require_stored(OpenDataset const& open)
{
    Handle const creation{H5Dget_create_plist(open.dataset.get()), H5Pclose,
                          "has no creation properties"};
    auto const layout = checked(H5Pget_layout(creation.get()), "has no layout");
    if (H5Pget_external_count(creation.get()) != 0 || layout == H5D_VIRTUAL) {
        throw LibraryFailure{"keeps its values in another file"};
    }
    bool const other_text =
        open.type == Type::other && H5Tdetect_class(open.stored_type.get(), H5T_STRING) != 0;
    if (H5Tdetect_class(open.stored_type.get(), H5T_VLEN) != 0 || other_text
        || (open.type == Type::string && !open.is_fixed_text())) {
        throw LibraryFailure{"holds values of variable length"};
    }
    auto const count = element_count(open.shape);
    auto const size = static_cast<std::int64_t>(open.value_size());
    auto const stored = static_cast<std::int64_t>(H5Dget_storage_size(open.dataset.get()));
    constexpr double most_bytes = 1e18;
    bool const possible = static_cast<double>(count) * static_cast<double>(size) < most_bytes
                          && stored <= file_size(open.dataset.get());
    if (!possible || (stored < count * size && stored * expansion(creation.get()) < count * size)) {
        throw LibraryFailure{"is not stored in full"};
    }
}

herr_t collect_object(hid_t /*root*/, char const* name, H5O_info_t const* info, void* data)
{
    auto& found =
        *static_cast<std::pair<std::vector<std::string>, std::vector<std::string>>*>(data);
    if (std::count(name, name + std::strlen(name), '/') >= deepest_level) {
        return -1;
    }
    if (std::string_view{name} != ".") {
        auto& list = info->type == H5O_TYPE_DATASET ? found.first : found.second;
        list.push_back(std::string{"/"} + name);
    }
    return 0;
}

herr_t refuse_other_files(hid_t /*root*/, char const* /*name*/, H5L_info_t const* info,
                          void* /*data*/)
{
    return info->type == H5L_TYPE_EXTERNAL ? -1 : 0;
}

std::pair<std::vector<std::string>, std::vector<std::string>> all_objects(hid_t file)
{
    std::pair<std::vector<std::string>, std::vector<std::string>> found;
    checked(H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, collect_object, &found, H5O_INFO_BASIC),
            "has groups that are too deep, or objects that cannot be listed");
    checked(H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, refuse_other_files, nullptr),
            "has links to other files");
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
    auto const file = open_regular(path, O_RDONLY);
    if (file.descriptor < 0) {
        return Layout::checksummed;
    }
    auto const count = ::pread(file.descriptor, begin.data(), begin.size(), 0);
    ::close(file.descriptor);
    if (count != std::ssize(begin)) {
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
    if (auto const problem = unreadable(path); !problem.empty()) {
        throw FileError{fmt::format("cannot open {}", path.string()), problem,
                        "Check the path and its permissions."};
    }
    if (accepted == Layout::checksummed && layout_of(path) == Layout::any) {
        throw FileError{fmt::format("cannot open {}", path.string()),
                        "not an intact HDF5 file with checksums, as mees writes them",
                        "Use another file."};
    }
    try {
        Handle const access{H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "no access properties"};
        use_driver(access.get(), {.outcome = &self.outcome});
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
