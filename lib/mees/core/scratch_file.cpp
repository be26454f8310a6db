#include "mees/core/scratch_file.hpp"

#include "mees/core/atomic_file.hpp"
#include "mees/core/error.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

namespace mees {
namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t least_mapping = std::size_t{64} << 20U;  ///< there are few of them

std::size_t round_up(std::size_t bytes, std::size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/// The result of a call that a signal may interrupt.
auto retried(auto const& call)
{
    auto result = call();
    while (result < 0 && errno == EINTR) {
        result = call();
    }
    return result;
}

}  // namespace

/// The file and its mappings, which last as long as any block has an owner.
class ScratchFile::File {
  public:
    File(std::filesystem::path folder, std::size_t block_bytes)
        : folder_{std::move(folder)},
          block_bytes_{round_up(std::max<std::size_t>(block_bytes, 1), alignment)},
          blocks_per_mapping_{std::max<std::size_t>(least_mapping / block_bytes_, 1)},
          mapping_bytes_{round_up(blocks_per_mapping_ * block_bytes_,
                                  static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)))}
    {
    }
    File(File const&) = delete;
    File& operator=(File const&) = delete;
    ~File()
    {
        for (auto* const mapping : mappings_) {
            ::munmap(mapping, mapping_bytes_);
        }
        if (descriptor_ >= 0) {
            ::close(descriptor_);
        }
    }

    /// The block that has the bytes now, and where it is.
    [[nodiscard]] std::pair<std::size_t, std::byte const*> take(std::span<std::byte const> bytes)
    {
        std::lock_guard const lock{mutex_};
        if (descriptor_ < 0) {
            open();
        }
        auto const block = free_.empty() ? blocks_ : free_.back();
        auto const* const place = map(block);
        if (free_.empty()) {
            free_.reserve(blocks_ + 1);  // so that `release` cannot fail
            allocate(block);
        }
        write(block, bytes);
        if (free_.empty()) {
            ++blocks_;
        } else {
            free_.pop_back();
        }
        return {block, place};
    }
    void release(std::size_t block)
    {
        std::lock_guard const lock{mutex_};
        free_.push_back(block);
    }
    [[nodiscard]] std::size_t block_bytes() const { return block_bytes_; }
    [[nodiscard]] std::int64_t blocks() const
    {
        std::lock_guard const lock{mutex_};
        return static_cast<std::int64_t>(blocks_);
    }

  private:
    [[noreturn]] void fail(int error) const
    {
        throw WriteError{fmt::format("cannot write a scratch file in {}", folder_.string()),
                         std::strerror(error), "Free disk space or fix the folder."};
    }
    void open()
    {
        descriptor_ =
            retried([&] { return ::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600); });
        if (descriptor_ >= 0) {
            return;
        }
        AtomicFile const named{folder_ / scratch_stem};  // which removes it in any case
        auto const& path = named.temporary();
        descriptor_ = retried(
            [&] { return ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600); });
        if (descriptor_ < 0) {
            fail(errno);
        }
    }
    [[nodiscard]] off_t offset_of(std::size_t block) const
    {
        return static_cast<off_t>(block / blocks_per_mapping_ * mapping_bytes_
                                  + block % blocks_per_mapping_ * block_bytes_);
    }
    /// Where a block is in memory. A mapping may extend beyond the end of the file.
    [[nodiscard]] std::byte const* map(std::size_t block)
    {
        auto const index = block / blocks_per_mapping_;
        if (index == mappings_.size()) {
            mappings_.reserve(index + 1);
            auto* const mapping = ::mmap(nullptr, mapping_bytes_, PROT_READ, MAP_SHARED,
                                         descriptor_, static_cast<off_t>(index * mapping_bytes_));
            if (mapping == MAP_FAILED) {
                fail(errno);
            }
            mappings_.push_back(static_cast<std::byte*>(mapping));
        }
        return mappings_[index] + block % blocks_per_mapping_ * block_bytes_;
    }
    /// Where the file system cannot, `write` finds out whether there is space.
    void allocate(std::size_t block)
    {
        if (flushes_) {
            return;
        }
        auto const failed = retried([&] {
            return ::fallocate(descriptor_, 0, offset_of(block), static_cast<off_t>(block_bytes_));
        });
        flushes_ = failed != 0 && (errno == EOPNOTSUPP || errno == ENOSYS);
        if (failed != 0 && !flushes_) {
            fail(errno);
        }
    }
    void write(std::size_t block, std::span<std::byte const> bytes)
    {
        auto offset = offset_of(block);
        while (!bytes.empty()) {
            auto const written =
                retried([&] { return ::pwrite(descriptor_, bytes.data(), bytes.size(), offset); });
            if (written <= 0) {
                fail(written < 0 ? errno : ENOSPC);
            }
            bytes = bytes.subspan(static_cast<std::size_t>(written));
            offset += written;
        }
        if (flushes_ && retried([&] { return ::fdatasync(descriptor_); }) != 0) {
            fail(errno);
        }
    }

    std::filesystem::path folder_;
    std::size_t block_bytes_;
    std::size_t blocks_per_mapping_;
    std::size_t mapping_bytes_;
    mutable std::mutex mutex_;
    int descriptor_{-1};
    bool flushes_{false};
    std::size_t blocks_{0};
    std::vector<std::size_t> free_;
    std::vector<std::byte*> mappings_;
};

ScratchFile::ScratchFile(std::filesystem::path folder, std::size_t block_bytes)
    : file_{std::make_shared<File>(std::move(folder), block_bytes)}
{
}

std::shared_ptr<std::byte const> ScratchFile::add(std::span<std::byte const> bytes)
{
    expects(bytes.size() <= file_->block_bytes(), "bytes that fit into a block");
    auto const [block, place] = file_->take(bytes);
    return {place, [file = file_, block = block](std::byte const*) { file->release(block); }};
}

std::size_t ScratchFile::block_bytes() const
{
    return file_->block_bytes();
}

std::int64_t ScratchFile::blocks() const
{
    return file_->blocks();
}

}  // namespace mees
