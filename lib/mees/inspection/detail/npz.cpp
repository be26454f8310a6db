#include "mees/inspection/detail/npz.hpp"

#include "mees/core/atomic_file.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <bit>

namespace mees {
namespace {

static_assert(std::endian::native == std::endian::little);

// The zip format (APPNOTE.TXT of PKWARE): sections 4.3.7, 4.3.12 and 4.3.16.
constexpr std::uint32_t local_header = 0x04034b50;
constexpr std::uint32_t directory_header = 0x02014b50;
constexpr std::uint32_t directory_end = 0x06054b50;
constexpr std::uint16_t version_needed = 20;
constexpr std::uint16_t first_day = 0x21;  // 1980-01-01: equal content makes equal files

void append16(std::string& bytes, std::uint16_t value)
{
    bytes += static_cast<char>(value & 0xff);
    bytes += static_cast<char>(value >> 8);
}

void append32(std::string& bytes, std::uint32_t value)
{
    append16(bytes, static_cast<std::uint16_t>(value & 0xffff));
    append16(bytes, static_cast<std::uint16_t>(value >> 16));
}

/// What the header in the file and its copy in the directory have in common.
std::string common_fields(std::uint32_t crc, std::uint32_t size, std::size_t name_size)
{
    std::string bytes;
    append16(bytes, version_needed);
    append16(bytes, 0);  // flags
    append16(bytes, 0);  // stored, not compressed
    append16(bytes, 0);  // time
    append16(bytes, first_day);
    append32(bytes, crc);
    append32(bytes, size);
    append32(bytes, size);
    append16(bytes, static_cast<std::uint16_t>(name_size));
    append16(bytes, 0);  // extra fields
    return bytes;
}

/// The header of numpy's .npy format, version 1.0.
std::string npy_header(std::string_view type, std::vector<std::int64_t> const& shape)
{
    std::string sizes;
    for (auto const size : shape) {
        sizes += fmt::format("{}, ", size);
    }
    auto text =
        fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, sizes);
    constexpr std::size_t prefix = 10;
    constexpr std::size_t alignment = 64;
    text.append(alignment - 1 - (prefix + text.size()) % alignment, ' ');
    text += '\n';
    std::string header{"\x93NUMPY\x01\x00", 8};
    append16(header, static_cast<std::uint16_t>(text.size()));
    return header + text;
}

}  // namespace

void NpzWriter::add(std::string_view name, std::span<float const> values,
                    std::vector<std::int64_t> const& shape)
{
    add_file(fmt::format("{}.npy", name), npy_header("<f4", shape), std::as_bytes(values));
}

void NpzWriter::add(std::string_view name, std::span<double const> values,
                    std::vector<std::int64_t> const& shape)
{
    add_file(fmt::format("{}.npy", name), npy_header("<f8", shape), std::as_bytes(values));
}

void NpzWriter::add(std::string_view name, std::span<std::int64_t const> values,
                    std::vector<std::int64_t> const& shape)
{
    add_file(fmt::format("{}.npy", name), npy_header("<i8", shape), std::as_bytes(values));
}

void NpzWriter::add_file(std::string const& name, std::string_view header,
                         std::span<std::byte const> data)
{
    auto crc = crc32_z(0, reinterpret_cast<Bytef const*>(header.data()), header.size());
    crc = crc32_z(crc, reinterpret_cast<Bytef const*>(data.data()), data.size());
    auto const size = static_cast<std::uint32_t>(header.size() + data.size());
    auto const fields = common_fields(static_cast<std::uint32_t>(crc), size, name.size());

    append32(directory_, directory_header);
    append16(directory_, version_needed);
    directory_ += fields;
    append16(directory_, 0);  // comment
    append16(directory_, 0);  // disk
    append16(directory_, 0);  // kind of file
    append32(directory_, 0);  // permissions
    append32(directory_, static_cast<std::uint32_t>(bytes_.size()));
    directory_ += name;

    append32(bytes_, local_header);
    bytes_ += fields;
    bytes_ += name;
    bytes_ += header;
    bytes_.append(reinterpret_cast<char const*>(data.data()), data.size());
    ++files_;
}

void NpzWriter::write(std::filesystem::path const& path, Existing existing) const
{
    std::string end;
    append32(end, directory_end);
    append32(end, 0);  // disks
    append16(end, files_);
    append16(end, files_);
    append32(end, static_cast<std::uint32_t>(directory_.size()));
    append32(end, static_cast<std::uint32_t>(bytes_.size()));
    append16(end, 0);  // comment
    write_new_file(path, bytes_ + directory_ + end, existing);
}

}  // namespace mees
