#include "mees/storage/hdf5/detail/driver.hpp"

#include "mees/storage/hdf5/detail/library.hpp"

#if __has_include(<H5FDdevelop.h>)
#include <H5FDdevelop.h>
#endif

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>

namespace mees::hdf5 {
namespace {

/// The library knows only the base class.
struct OpenFile : H5FD_t {
    int descriptor{-1};
    bool writable{false};
    haddr_t end_of_allocation{0};
    haddr_t end_of_file{0};
    dev_t device{0};
    ino_t inode{0};
    DriverOutcome* outcome{nullptr};
    std::atomic<bool> const* cancelled{nullptr};

    void note(char const* doing) const
    {
        if (outcome->error == 0) {
            *outcome = {errno, doing};
        }
    }
    [[nodiscard]] bool failed() const
    {
        if (writable && cancelled != nullptr && *cancelled) {
            errno = ECANCELED;
            note("writing");
        }
        return writable && outcome->error != 0;
    }
};

OpenFile& self(H5FD_t* file)
{
    return *static_cast<OpenFile*>(file);
}
OpenFile const& self(H5FD_t const* file)
{
    return *static_cast<OpenFile const*>(file);
}

constexpr haddr_t largest_address = std::numeric_limits<std::int64_t>::max();

int open_descriptor(char const* name, unsigned flags)
{
    int mode = O_CLOEXEC | O_NONBLOCK | ((flags & H5F_ACC_RDWR) != 0 ? O_RDWR : O_RDONLY);
    mode |= (flags & H5F_ACC_CREAT) != 0 ? O_CREAT : 0;
    mode |= (flags & H5F_ACC_EXCL) != 0 ? O_EXCL : 0;
    mode |= (flags & H5F_ACC_TRUNC) != 0 ? O_TRUNC : 0;
    return ::open(name, mode, 0666);
}

/// Reserves the space now. Only a full disk is an error, not a file system that cannot do this.
void reserve(OpenFile const& file, std::int64_t bytes)
{
    if (bytes > 0 && ::fallocate(file.descriptor, FALLOC_FL_KEEP_SIZE, 0, bytes) != 0
        && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)) {
        file.note("reserving space");
    }
}

H5FD_t* open_file(char const* name, unsigned flags, hid_t access, haddr_t /*largest*/)
{
    auto const* parameters = static_cast<DriverParameters const*>(H5Pget_driver_info(access));
    if (parameters == nullptr) {
        return nullptr;
    }
    auto file = std::make_unique<OpenFile>();
    file->outcome = parameters->outcome;
    file->cancelled = parameters->cancelled;
    file->descriptor = open_descriptor(name, flags);
    // The library first tries to open a file that it is to create: the last attempt counts.
    *file->outcome = {};
    errno = file->descriptor < 0 ? errno : 0;
    struct stat status = {};
    if (file->descriptor < 0) {
        file->note("opening");
        return nullptr;
    }
    if (::fstat(file->descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        errno = errno == 0 ? EINVAL : errno;
        file->note("opening");
        ::close(file->descriptor);
        return nullptr;
    }
    file->end_of_file = static_cast<haddr_t>(status.st_size);
    file->device = status.st_dev;
    file->inode = status.st_ino;
    file->writable = (flags & H5F_ACC_RDWR) != 0;
    if (file->writable) {
        reserve(*file, parameters->expected_bytes);
    }
    return file.release();
}

herr_t close_file(H5FD_t* file)
{
    std::unique_ptr<OpenFile> const owned{&self(file)};
    if (owned->writable && !owned->failed() && ::fsync(owned->descriptor) != 0) {
        owned->note("flushing to disk");
    }
    if (::close(owned->descriptor) != 0) {
        owned->note("closing");
    }
    return 0;
}

int compare_files(H5FD_t const* left, H5FD_t const* right)
{
    auto const& a = self(left);
    auto const& b = self(right);
    if (a.device != b.device) {
        return a.device < b.device ? -1 : 1;
    }
    return a.inode == b.inode ? 0 : (a.inode < b.inode ? -1 : 1);
}

herr_t query(H5FD_t const* /*file*/, unsigned long* flags)
{
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE
             | H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

haddr_t get_eoa(H5FD_t const* file, H5FD_mem_t /*type*/)
{
    return self(file).end_of_allocation;
}

herr_t set_eoa(H5FD_t* file, H5FD_mem_t /*type*/, haddr_t address)
{
    self(file).end_of_allocation = address;
    return 0;
}

haddr_t get_eof(H5FD_t const* file, H5FD_mem_t /*type*/)
{
    return self(file).end_of_file;
}

bool out_of_range(haddr_t address, std::size_t size)
{
    return address > largest_address || size > largest_address - address;
}

/// Reading beyond the end gives zeros, as with the library's own drivers.
herr_t read_file(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t address,
                 std::size_t size, void* buffer)
{
    if (out_of_range(address, size)) {
        return -1;
    }
    auto* position = static_cast<char*>(buffer);
    while (size > 0) {
        auto const count =
            ::pread(self(file).descriptor, position, size, static_cast<off_t>(address));
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            self(file).note("reading");
            return -1;
        }
        if (count == 0) {
            std::memset(position, 0, size);
            return 0;
        }
        position += count;
        address += static_cast<haddr_t>(count);
        size -= static_cast<std::size_t>(count);
    }
    return 0;
}

herr_t write_file(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t address,
                  std::size_t size, void const* buffer)
{
    auto& target = self(file);
    if (out_of_range(address, size)) {
        return -1;
    }
    auto const* position = static_cast<char const*>(buffer);
    auto const end = address + size;
    while (size > 0 && !target.failed()) {
        auto const count = ::pwrite(target.descriptor, position, size, static_cast<off_t>(address));
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            target.note("writing");
            break;
        }
        position += count;
        address += static_cast<haddr_t>(count);
        size -= static_cast<std::size_t>(count);
    }
    target.end_of_file = std::max(target.end_of_file, end);
    return 0;
}

herr_t truncate_file(H5FD_t* file, hid_t /*transfer*/, hbool_t /*closing*/)
{
    auto& target = self(file);
    if (target.writable && !target.failed()
        && ::ftruncate(target.descriptor, static_cast<off_t>(target.end_of_allocation)) != 0) {
        target.note("truncating");
    }
    target.end_of_file = target.end_of_allocation;
    return 0;
}

H5FD_class_t make_class()
{
    constexpr H5FD_mem_t map[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
    H5FD_class_t driver = {};
#if H5_VERSION_GE(1, 13, 2)
    driver.version = H5FD_CLASS_VERSION;
    driver.value = static_cast<H5FD_class_value_t>(H5_VFD_RESERVED + 77);
#endif
    driver.name = "mees";
    driver.maxaddr = largest_address;
    driver.fc_degree = H5F_CLOSE_STRONG;
    driver.fapl_size = sizeof(DriverParameters);
    driver.open = open_file;
    driver.close = close_file;
    driver.cmp = compare_files;
    driver.query = query;
    driver.get_eoa = get_eoa;
    driver.set_eoa = set_eoa;
    driver.get_eof = get_eof;
    driver.read = read_file;
    driver.write = write_file;
    driver.truncate = truncate_file;
    std::ranges::copy(map, driver.fl_map);
    return driver;
}

hid_t driver()
{
    static H5FD_class_t const description = make_class();
    static hid_t const id = H5FDregister(&description);
    return checked(id, "no file driver");
}

}  // namespace

void use_driver(hid_t access, DriverParameters const& parameters)
{
    checked(H5Pset_driver(access, driver(), &parameters), "no file driver");
}

}  // namespace mees::hdf5
